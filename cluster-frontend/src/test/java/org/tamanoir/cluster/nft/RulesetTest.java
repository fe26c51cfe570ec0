package org.tamanoir.cluster.nft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tamanoir.cluster.nft.Plans.plan;
import static org.tamanoir.cluster.nft.Plans.server;
import static org.tamanoir.cluster.nft.Plans.service;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.cluster.nft.NftEngine.Refusals;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Transport;
import org.tamanoir.membership.Welcome.Method;

/** Plans as rules, and from one to the next. The kernel's word on the rules is in {@link NftEngineTest}. */
class RulesetTest {
    private static final String VIRTUAL = "10.0.9.1";

    /** Otherwise a session's two halves would meet different back ends. */
    @Test
    void tcpAndUdpOfAPersistentServiceHaveTheSameBuckets() {
        TableContent rules = Ruleset.of(plan(VIRTUAL, 60, server("a", "10.0.1.1", 10), server("b", "10.0.1.2", 20)), server -> true);
        String tcp = hash(rules, "tcp_0a000901_3322");
        assertThat(tcp).contains("jhash ip saddr mod").isEqualTo(hash(rules, "udp_0a000901_3322").replace("udp", "tcp"));
        assertThat(rules.sets()).hasSize(2);
    }

    @Test
    void aBackEndThatIsDownOrDrainsGetsNothingNewAndIsStillCounted() {
        var down = server("b", "10.0.1.2", 20);
        var drains = server("c", "10.0.1.3", 0);
        TableContent rules = Ruleset.of(plan(VIRTUAL, 0, server("a", "10.0.1.1", 10), down, drains), server -> server != down);
        assertThat(String.join("\n", rules.chains().get("tcp_0a000901_3322"))).doesNotContain("0a000102", "0a000103");
        assertThat(rules.chains()).containsKeys("in_tcp_0a000102_3322", "out_udp_0a000103_3322").doesNotContainKeys("to_tcp_0a000901_3322_0a000102_3322");
        assertThat(Ruleset.of(plan(VIRTUAL, 0, drains), server -> true).chains().get("tcp_0a000901_3322")).as("nobody is left: refused").isEmpty();
    }

    /** A change of one pool must not set back the counters and sources of others. */
    @Test
    void aChangeTouchesOnlyWhatDiffers() {
        Plan before = new Plan(List.of(service(Transport.TCP, VIRTUAL, 60, server("a", "10.0.1.1", 10), server("b", "10.0.1.2", 10)),
                service(Transport.TCP, "10.0.9.2", 60, server("x", "10.0.2.1", 10))));
        Plan after = new Plan(List.of(service(Transport.TCP, VIRTUAL, 60, server("a", "10.0.1.1", 10), server("b", "10.0.1.2", 11)), before.services().get(1)));
        TableContent old = Ruleset.of(before, server -> true);
        assertThat(old.since(old)).isEmpty();
        assertThat(Ruleset.of(after, server -> true).since(old).lines().map(line -> line.replaceAll(" \\{.*| jhash.*| ip saddr.*", "")))
                .containsExactly("flush chain inet tamanoir_cluster tcp_0a000901_3322", "add rule inet tamanoir_cluster tcp_0a000901_3322",
                        "add rule inet tamanoir_cluster tcp_0a000901_3322", "add rule inet tamanoir_cluster tcp_0a000901_3322");
        String end = Ruleset.of(Plan.EMPTY, server -> true).since(old);
        assertThat(end).doesNotContain("add ");
        assertThat(Pattern.compile("delete counter").matcher(end).results()).hasSize(9);
        assertThat(end.indexOf("flush chain inet tamanoir_cluster arrive")).as("who jumps goes first").isLessThan(end.indexOf("delete chain")).isNotNegative();
    }

    @ParameterizedTest
    @CsvSource({
        "DIRECT, 10.0.9.1,  10.0.1.1,    the method DIRECT",
        "TUNNEL, 10.0.9.1,  10.0.1.1,    the method TUNNEL",
        "NAT,    10.0.9.1,  fd00::1,     one family of addresses to the other",
        "NAT,    10.0.9.1,  10.0.9.1,    which is a virtual address",
        "NAT,    10.0.9.1,  127.0.0.1,   unicast addresses beyond this host",
        "NAT,    224.0.0.1, 10.0.1.1,    unicast addresses beyond this host"})
    void whatNftablesCannotCarryIsRefused(Method method, String virtual, String real, String reason) {
        Plan plan = new Plan(List.of(service(Transport.TCP, virtual, method, 0, server("a", real, 1))));
        assertThatThrownBy(() -> Refusals.check(plan)).isInstanceOf(AnepException.class).hasMessageStartingWith("EE-907").hasMessageContaining(reason)
                .hasMessageContaining("tcp " + virtual + ":3322");
    }

    /** A name comes from the network; rules are made of addresses. */
    @Test
    void noNameOfABackEndGetsIntoARule() {
        TableContent rules = Ruleset.of(plan(VIRTUAL, 60, server("; flush ruleset", "10.0.1.1", 10)), server -> true);
        assertThat(rules.since(TableContent.NONE)).contains("10.0.1.1").doesNotContain("flush ruleset");
    }

    private static String hash(TableContent rules, String chain) {
        return rules.chains().get(chain).stream().filter(rule -> rule.contains("jhash")).findFirst().orElseThrow();
    }
}
