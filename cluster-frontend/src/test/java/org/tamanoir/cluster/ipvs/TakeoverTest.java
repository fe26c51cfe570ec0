package org.tamanoir.cluster.ipvs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TakeoverTest {
    private static final String LISTED = """
            IP Virtual Server version 1.2.1 (size=4096)
            Prot LocalAddress:Port Scheduler Flags
              -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
            TCP  10.77.0.100:3322 wlc
              -> 10.77.1.11:3322              Masq    7      1          0
              -> 10.77.1.12:3323              Masq    0      2          0
              -> 10.77.1.13:3322              Masq    5      0          0
            UDP  10.77.0.100:3322 rr
              -> 10.77.1.11:3322              Masq    10     0          0
            TCP  10.77.0.100:80 wlc
              -> 10.77.1.11:80                Masq    1      0          0
            FWM  99 wlc persistent 300
              -> 10.77.1.11:80                Route   1      0          0
            """;

    private static Takeover takeover(String... owned) {
        Set<ServiceKey> keys = new HashSet<>();
        for (String key : owned) {
            keys.add(IpvsTable.key(key));
        }
        return Takeover.of(keys, IpvsTable.parse(LISTED), Director.services(Plans.parse(KeepalivedConfTest.NAT), KeepalivedConfTest.settings(false)));
    }

    @Test
    void whatIsAsItShouldBeStaysAndTheRestIsPutRight() {
        Takeover takeover = takeover("TCP 10.77.0.100:3322", "UDP 10.77.0.100:3322", "FWM 99");
        // Of another scheduler, and not wanted any more.
        assertThat(takeover.services()).extracting(ServiceKey::toString).containsExactly("UDP 10.77.0.100:3322", "FWM 99");
        assertThat(takeover.servers()).extracting(place -> ServiceKey.end(place.server())).containsExactly("10.77.1.13:3322");
        assertThat(takeover.weights()).hasSize(1).containsValue(10);
        assertThat(takeover.stay()).extracting(place -> ServiceKey.end(place.server())).containsExactlyInAnyOrder("10.77.1.11:3322", "10.77.1.12:3323");
    }

    @Test
    void oneThatHasFailedItsCheckIsNotTakenToBeWell() {
        Takeover takeover = Takeover.of(Set.of(IpvsTable.key("TCP 10.77.0.100:3322")), IpvsTable.parse(LISTED.replace("Masq    7", "Masq    0")),
                Director.services(Plans.parse(KeepalivedConfTest.NAT), KeepalivedConfTest.settings(false)));
        assertThat(takeover.servers()).extracting(place -> ServiceKey.end(place.server())).containsExactly("10.77.1.13:3322");
        assertThat(takeover.weights()).isEmpty();
        assertThat(takeover.stay()).extracting(place -> ServiceKey.end(place.server())).containsExactly("10.77.1.12:3323");
    }

    @Test
    void whatHasConnectionsAndGetsNothingNewLingers() {
        Set<ServiceKey> owned = Set.of(IpvsTable.key("TCP 10.77.0.100:3322"), IpvsTable.key("UDP 10.77.0.100:3322"), IpvsTable.key("TCP 10.77.0.100:80"),
                IpvsTable.key("FWM 99"));
        IpvsTable table = IpvsTable.parse(LISTED.replace("10.77.1.11:80                Masq    1      0          0", "10.77.1.11:80 Masq 1 3 0")
                .replace("Route   1      0          0", "Route   1      0          4"));
        Takeover takeover = Takeover.of(owned, table, Director.services(Plans.parse(KeepalivedConfTest.AFFINITY), KeepalivedConfTest.settings(false)));
        assertThat(takeover.linger()).extracting(ServiceKey::toString).containsExactly("TCP 10.77.0.100:3322", "FWM 99");
        // Without connections, and of an address and port that nobody carries: it would go on getting new ones.
        assertThat(takeover.services()).extracting(ServiceKey::toString).containsExactly("UDP 10.77.0.100:3322", "TCP 10.77.0.100:80");
    }

    @Test
    void whatIsNotOwnedIsNotTouched() {
        assertThat(takeover()).isEqualTo(new Takeover(List.of(), List.of(), List.of(), Map.of(), Set.of()));
        assertThat(takeover("TCP 10.77.0.100:80").services()).extracting(ServiceKey::toString).containsExactly("TCP 10.77.0.100:80");
    }
}
