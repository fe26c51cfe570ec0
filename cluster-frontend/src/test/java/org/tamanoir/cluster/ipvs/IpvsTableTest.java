package org.tamanoir.cluster.ipvs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.cluster.engine.Engine.Counters;
import org.tamanoir.cluster.ipvs.IpvsEngine.Readings;

/** Lists that ipvsadm 1.31 printed of the IPVS of Linux 6.1. */
class IpvsTableTest {
    private static IpvsTable table(String name) throws IOException {
        return IpvsTable.parse(KeepalivedConfTest.golden(name));
    }

    private static InetSocketAddress end(String address, int port) {
        return new InetSocketAddress(Plans.address(address), port);
    }

    @Test
    void weightsAndConnectionsAreRead() throws IOException {
        IpvsTable table = table("table-nat.txt");
        assertThat(table.services().keySet()).extracting(ServiceKey::toString).containsExactly("TCP 10.77.0.100:80", "TCP 10.77.0.100:3322",
                "UDP 10.77.0.100:90", "UDP 10.77.0.100:3322");
        ServiceKey tcp = IpvsTable.key("TCP 10.77.0.100:3322");
        assertThat(table.services().get(tcp).words()).containsExactly("wrr");
        assertThat(table.services().get(tcp).servers().get(end("10.77.1.12", 3322))).containsExactly("Masq", "20", "0", "165");
        assertThat(table.number(tcp, end("10.77.1.12", 3322), 3)).isEqualTo(165);
        assertThat(table.has(tcp, end("10.77.1.13", 3322))).isTrue();
        assertThat(table.has(tcp, end("10.77.1.11", 90))).isFalse();
        assertThat(table.has(IpvsTable.key("UDP 10.77.0.100:90"), end("10.77.1.11", 90))).isTrue();
    }

    @Test
    void countersAndRatesAreRead() throws IOException {
        ServiceKey tcp = IpvsTable.key("TCP 10.77.0.100:3322");
        IpvsTable totals = table("stats-nat.txt");
        assertThat(List.of(0, 1, 2, 3, 4)).extracting(column -> totals.number(tcp, end("10.77.1.12", 3322), column))
                .containsExactly(114L, 570L, 344L, 30552L, 19028L);
        IpvsTable rates = table("rate-nat.txt");
        assertThat(List.of(0, 1, 2, 3, 4)).extracting(column -> rates.number(tcp, end("10.77.1.12", 3322), column))
                .containsExactly(14L, 71L, 43L, 3819L, 2378L);
        assertThat(totals.number(tcp, end("10.77.1.99", 3322), 0)).as("one that is not there").isZero();
    }

    @Test
    void eachBackEndHasItsCountersInTheirPlaces() throws IOException {
        List<Director.Service> services = Director.services(Plans.parse("TCP,10.77.0.100,3322,NAT,WRR,0,b2=10.77.1.12/3322/20/8080,b9=10.77.1.19/3322/1/8080"),
                KeepalivedConfTest.settings(false));
        List<Counters> counters = Readings.counters(services, table("table-nat.txt"), table("stats-nat.txt"), table("rate-nat.txt"));
        var service = services.get(0).first();
        assertThat(counters).containsExactly(new Counters(service, service.servers().get(0), 114, 0, 165, 570, 344, 30552, 19028, 14, 3819, 2378),
                new Counters(service, service.servers().get(1), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void firewallMarksAndIpv6AreReadAndSctpIsPassedOver() throws IOException {
        IpvsTable table = table("table-mixed.txt");
        assertThat(table.services().keySet()).extracting(ServiceKey::toString).containsExactly("TCP 10.77.0.100:3323", "TCP [fd00:77:0:0:0:0:0:100]:80", "FWM 7",
                "FWM 1413575123 IPv6");
        ServiceKey six = ServiceKey.ofMark(1413575123, true);
        assertThat(table.services().get(six).words()).containsExactly("sed", "persistent", "60");
        assertThat(table.has(six, end("fd00:77:1::13", 0))).isTrue();
        assertThat(table.has(ServiceKey.ofMark(1413575123, false), end("fd00:77:1::13", 0))).isFalse();
        assertThat(table.services().get(ServiceKey.ofMark(7, false)).servers().get(end("10.77.1.11", 0))).startsWith("Tunnel");
        assertThat(table.services().values()).as("what is SCTP's is nobody's").noneMatch(service -> service.servers().containsKey(end("10.77.1.11", 99)));
        assertThat(table("stats-mixed.txt").services().keySet()).isEqualTo(table.services().keySet());
        for (ServiceKey key : table.services().keySet()) {
            assertThat(IpvsTable.key(key.toString())).isEqualTo(key);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TCP", "TCP 10.0.0.1", "TCP 10.0.0.256:80 rr", "TCP 10.0.0.1:99999 rr", "TCP localhost:80 rr", "FWM x", "  -> 10.0.0.1:80 Masq 1 0 0",
        "UDP [fd00::g]:80 rr", "Memory allocation problem"})
    void whatIsNotItsLanguageIsSaid(String text) {
        assertThatThrownBy(() -> IpvsTable.parse(text)).hasMessageStartingWith("EE-907").hasMessageContaining(text.strip());
    }

    @Property(tries = 3000)
    void anyTextIsATableOrRefused(@ForAll @StringLength(max = 200) @CharRange(from = '0', to = '9') @Chars({'\n', ' ', 'T', 'C', 'P', 'U', 'D', 'F', 'W', 'M',
        '-', '>', '.', ':', '[', ']', 'f'}) String text) {
        try {
            assertThat(IpvsTable.parse("TCP 10.0.0.1:80 rr\n" + text).services()).isNotEmpty();
        } catch (AnepException e) {
            assertThat(e.getMessage()).startsWith("EE-907");
        }
    }
}
