package org.tamanoir.cluster.ipvs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SupersededServicesTest {
    private static final String PLAIN = "TCP,10.0.0.1,1,NAT,WLC,0,b1=10.1.0.1/1/5/8,b2=10.1.0.2/1/5/8 UDP,10.0.0.1,1,NAT,WLC,0,b1=10.1.0.1/1/5/8";
    private static final String MARKED = "TCP,10.0.0.1,1,NAT,WLC,60,b2=10.1.0.2/1/9/8 UDP,10.0.0.1,1,NAT,WLC,60,b2=10.1.0.2/1/9/8";
    private static final long NOW = Long.MAX_VALUE - 5;

    private static List<Director.Service> services(String plan) {
        return Director.services(Plans.parse(plan), KeepalivedConfTest.settings(false));
    }

    @Test
    void whatAnotherTakesThePlaceOfLingersWithTheBackEndsThatAreLeftForItsTime() {
        SupersededServices lingering = SupersededServices.NONE.with(services(PLAIN), services(MARKED), NOW);
        // The one of UDP has no back end left.
        assertThat(lingering.services()).singleElement().satisfies(service -> {
            assertThat(service.key()).hasToString("TCP 10.0.0.1:1");
            assertThat(service.servers()).extracting(server -> server.name()).containsExactly("b2");
        });
        long later = NOW + SupersededServices.MOST.toNanos();
        assertThat(lingering.with(services(MARKED), services(MARKED), later).services()).isEqualTo(lingering.services());
        assertThat(lingering.with(services(MARKED), services(MARKED), later + 1)).isEqualTo(SupersededServices.NONE);
        // Back again: that of the mark lingers, and the one that comes back lingers no more.
        assertThat(lingering.with(services(MARKED), services(PLAIN), NOW + 1).services()).singleElement()
                .satisfies(service -> assertThat(service.key().isMark()).isTrue());
    }

    @Test
    void whatHasGoneGoes() {
        assertThat(SupersededServices.NONE.with(services(PLAIN), List.of(), NOW)).isEqualTo(SupersededServices.NONE);
        assertThat(SupersededServices.NONE.with(services(PLAIN), services(PLAIN), NOW)).isEqualTo(SupersededServices.NONE);
    }

    @Test
    void withoutConnectionsNothingLingersOn() {
        SupersededServices lingering = SupersededServices.NONE.with(services(PLAIN), services(MARKED), NOW);
        String table = "TCP  10.0.0.1:1 wlc\n  -> 10.1.0.2:1  Masq 5 0 %d\n";
        assertThat(lingering.over(IpvsTable.parse(String.format(table, 1)), NOW)).isFalse();
        assertThat(lingering.over(IpvsTable.parse(String.format(table, 0)), NOW)).isTrue();
        assertThat(lingering.over(IpvsTable.parse(String.format(table, 1)), NOW + SupersededServices.MOST.toNanos() + 1)).isTrue();
    }
}
