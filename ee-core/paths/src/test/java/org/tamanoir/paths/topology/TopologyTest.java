package org.tamanoir.paths.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologyTest {
    private static final Domain NAPLES = new Domain("naples", new Place(40.85, 14.27), Set.of("campus"));
    private static final Domain MEDICINE = new Domain("medicine", new Place(40.87, 14.22), Set.of("campus", "ring"));
    private static final Domain PISA = new Domain("pisa", new Place(43.72, 10.40), Set.of());
    private static final Topology TOPOLOGY = new Topology(List.of(NAPLES, MEDICINE, PISA), Map.of("visitor.na.infn.it", "pisa", "2001:db8:0::7", "pisa"), List.of(
            Rule.ofPrefix("192.0.2.128/25", "medicine"), Rule.ofPrefix("192.0.2.0/24", "naples"), Rule.ofPrefix("2001:db8::/32", "naples"), Rule.ofSuffix("na.infn.it", "naples"),
            Rule.ofName("grid*.ceinge.unina.it", "medicine"), Rule.ofSuffix("unina.it", "naples")));

    @ParameterizedTest
    @CsvSource({
        "192.0.2.7,             naples",
        "192.0.2.200,           medicine",
        "2001:db8:1::1,         naples",
        "2001:db8::7,           pisa",
        "se.na.infn.it,         naples",
        "SE.NA.INFN.IT.,        naples",
        "na.infn.it,            naples",
        "visitor.na.infn.it,    pisa",
        "Visitor.NA.infn.it,    pisa",
        "grid002.ceinge.unina.it, medicine",
        "www.ceinge.unina.it,   naples"})
    void theFirstRuleDecidesAndWhoIsListedGoesBeforeAllRules(String host, String domain) {
        assertThat(TOPOLOGY.locate(host).domain().name()).isEqualTo(domain);
    }

    @ParameterizedTest
    @CsvSource({"sna.infn.it", "198.51.100.1", "::ffff:198.51.100.1", "infn.it", "grid.x.ceinge.unina.it.example", "<script>"})
    void aHostInNoDomainIsSaid(String host) {
        Location location = TOPOLOGY.locate(host);
        assertThat(location.isKnown()).isFalse();
        assertThat(location.why()).endsWith("is in no domain: no entry and no rule matches");
    }

    @Test
    void aHostInTwoDomainsIsSaid() throws UnknownHostException {
        Location location = TOPOLOGY.locate("se.na.infn.it", InetAddress.getByName("192.0.2.200"));
        assertThat(location.domain()).isEqualTo(MEDICINE);
        assertThat(location.others()).containsExactly("naples");
        assertThat(location.why()).isEqualTo("se.na.infn.it is in medicine by prefix 192.0.2.128/25, though rules of naples match too");
        assertThat(TOPOLOGY.locate("visitor.na.infn.it").isAmbiguous()).as("listed by name on purpose").isFalse();
        assertThatThrownBy(() -> new Topology(List.of(NAPLES, PISA), Map.of("a.example", "naples", "A.example.", "pisa"), List.of())).hasMessageMatching("EE-780 hosts.*: it is in two domains, .*");
    }

    @Test
    void whatDoesNotFitTogetherIsRefused() {
        assertThatThrownBy(() -> new Topology(List.of(PISA), Map.of("a.example", "rome"), List.of())).hasMessage("EE-780 hosts.a.example: there is no domain rome");
        assertThatThrownBy(() -> new Topology(List.of(PISA), Map.of(), List.of(Rule.ofSuffix("example", "rome")))).hasMessage("EE-780 rules: suffix example: there is no domain rome");
        assertThatThrownBy(() -> new Topology(List.of(PISA, PISA), Map.of(), List.of())).hasMessage("EE-780 domains.pisa: it stands twice");
        assertThatThrownBy(() -> Rule.ofPrefix("192.0.2.0/33", "pisa")).hasMessageStartingWith("EE-780 '192.0.2.0/33' needs a length");
        assertThatThrownBy(() -> new Place(91, 0)).hasMessageStartingWith("EE-780 place");
        assertThatThrownBy(() -> new Place(Double.NaN, 0)).hasMessageStartingWith("EE-780 place");
    }

    @Test
    void aRuleThatNoHostReachesIsSaid() {
        assertThat(TOPOLOGY.warnings()).isEmpty();
        Topology late = new Topology(List.of(NAPLES, PISA), Map.of(), List.of(Rule.ofPrefix("192.0.2.0/24", "naples"), Rule.ofPrefix("192.0.2.7", "pisa"), Rule.ofSuffix("it", "pisa"),
                Rule.ofSuffix("na.infn.it", "naples")));
        assertThat(late.warnings()).containsExactly("rule 2 (prefix 192.0.2.7 -> pisa) decides nothing: prefix 192.0.2.0/24 -> naples stands before it",
                "rule 4 (suffix na.infn.it -> naples) decides nothing: suffix it -> pisa stands before it");
    }

    @Test
    void aDomainMaySayItsBottlenecksAndHasOneOfItsOwnOtherwise() {
        assertThat(TOPOLOGY.bottlenecks("192.0.2.200")).containsExactlyInAnyOrder("campus", "ring");
        assertThat(TOPOLOGY.bottlenecks("visitor.na.infn.it")).containsExactly("pisa");
        assertThat(TOPOLOGY.bottlenecks("198.51.100.1")).isEmpty();
    }

    @Test
    void noRoundTripIsFasterThanLight() {
        assertThat(NAPLES.place().kilometres(PISA.place())).isCloseTo(453, within(5.0));
        assertThat(NAPLES.place().leastRoundTripMs(PISA.place())).isCloseTo(3.02, within(0.05));
        assertThat(NAPLES.place().kilometres(NAPLES.place())).isZero();
        assertThat(new Place(0, 180).kilometres(new Place(0, -180))).isCloseTo(0, within(1e-6));
        assertThat(new Place(90, 0).kilometres(new Place(-90, 0))).isCloseTo(Math.PI * 6371, within(1e-6));
    }
}
