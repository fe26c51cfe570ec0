package org.tamanoir.cluster.ipvs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirectorTest {
    private static final IpvsSettings SETTINGS = KeepalivedConfTest.settings(false);

    private static List<Director.Service> services(String plan) {
        return Director.services(Plans.parse(plan), SETTINGS);
    }

    private static String pair(int i) {
        String end = ",10.9." + i / 250 + "." + (i % 250 + 1) + ",3322,NAT,WLC,60,b1=10.77.1.11/3322/1/8080";
        return "TCP" + end + " UDP" + end;
    }

    /** Connections of a pair of directors are synchronised by mark: what else one of them carries must not change it. */
    @Test
    void aMarkIsThatOfItsAddressAndPortWhateverElseIsCarried() {
        List<String> pairs = IntStream.range(0, 200).mapToObj(DirectorTest::pair).toList();
        List<Director.Service> all = services(String.join(" ", pairs));
        assertThat(all).hasSize(200).extracting(Director.Service::key).doesNotHaveDuplicates();
        List<ServiceKey> alone = new ArrayList<>();
        pairs.forEach(each -> alone.add(services(each).get(0).key()));
        assertThat(all).extracting(Director.Service::key).containsExactlyElementsOf(alone);
        assertThat(alone).allMatch(key -> key.mark() >= IpvsSettings.FIRST_MARK && key.mark() < IpvsSettings.FIRST_MARK + IpvsSettings.MARKS);
    }

    @Test
    void marksThatMeetMakeRoomForEachOther() {
        IpvsSettings few = new IpvsSettings(SETTINGS.directory(), CheckerSettings.DEFAULT, null, 1000, 256);
        String plan = String.join(" ", IntStream.range(0, 256).mapToObj(DirectorTest::pair).toList());
        assertThat(Director.services(Plans.parse(plan), few)).extracting(service -> service.key().mark()).doesNotHaveDuplicates()
                .allMatch(mark -> mark >= 1000 && mark < 1256);
        assertThatThrownBy(() -> Director.services(Plans.parse(plan + " " + pair(256)), few)).hasMessageStartingWith("EE-907");
    }

    /** A flow would stay at a back end of weight 0 for as long as it goes on. */
    @Test
    void overUdpABackEndThatDrainsIsNotThere() {
        assertThat(services("UDP,10.0.0.1,1,NAT,WLC,0,b1=10.1.0.1/1/0/8080,b2=10.1.0.2/1/1/8080 TCP,10.0.0.1,1,NAT,WLC,0,b1=10.1.0.1/1/0/8080"))
                .extracting(service -> service.servers().size()).containsExactly(1, 1);
    }

    /** Wrong: one whose TCP streams come with a later check than its datagrams, for which the last other one goes; one that a single late check takes out; who drains. */
    @Test
    void whoIsServedByAllServicesOrStillByOneGetsStreams() {
        String all = ",b1=10.1.0.1/1/100/8080,b2=10.1.0.2/1/100/8080";
        List<Director.Service> services = services("TCP,10.0.0.1,1,NAT,WLC,0" + all + ",b3=10.1.0.3/1/0/8080 UDP,10.0.0.1,1,NAT,WLC,0" + all);
        IpvsTable table = IpvsTable.parse("""
                TCP  10.0.0.1:1 wlc
                  -> 10.1.0.1:1 Masq 0 0 0
                  -> 10.1.0.2:1 Masq 100 0 0
                  -> 10.1.0.3:1 Masq 0 2 0
                UDP  10.0.0.1:1 wlc
                  -> 10.1.0.1:1 Masq 100 0 0
                  -> 10.1.0.2:1 Masq 100 0 0
                """);
        assertThat(Director.serving(services, table, Set.of())).containsExactly("b2");
        assertThat(Director.serving(services, table, Set.of("b1", "b3"))).containsExactly("b1", "b2");
        assertThat(Director.serving(services, IpvsTable.parse(""), Set.of("b1", "b2"))).isEmpty();
    }

    /** keepalived would warn of them, which is as good as a refusal. */
    @Test
    void servicesWithoutBackEndsAreLeftOut() {
        assertThat(services("TCP,10.0.0.1,1,NAT,WLC,0 TCP,10.0.0.1,2,NAT,WLC,60 UDP,10.0.0.1,2,NAT,WLC,60 UDP,10.0.0.1,3,NAT,WLC,0,b1=10.1.0.1/1/0/8080"))
                .isEmpty();
    }

    @Test
    void onlyPersistentServicesOverBothTransportsShareAMark() {
        assertThat(services(KeepalivedConfTest.AFFINITY)).singleElement().satisfies(service -> {
            assertThat(service.key().isMark()).isTrue();
            // b2 drains: it is in UDP's plan no more, and keeps the sources that it has.
            assertThat(service.servers()).extracting(server -> server.name() + server.weight()).containsExactly("b110", "b20");
        });
        assertThat(services(KeepalivedConfTest.NAT)).hasSize(2).noneMatch(service -> service.key().isMark());
        String server = ",b1=10.1.0.1/1/1/8080";
        assertThat(services("TCP,10.0.0.1,1,NAT,WLC,60" + server + " UDP,10.0.0.1,1,NAT,WLC,0" + server + " UDP,10.0.0.2,1,NAT,WLC,60" + server)).hasSize(3)
                .noneMatch(service -> service.key().isMark());
    }

    @ParameterizedTest
    @ValueSource(strings = {"TCP,10.0.0.1,3322,NAT,WLC,60,b1=10.1.0.1/3323/1/8080 UDP,10.0.0.1,3322,NAT,WLC,60",
        "TCP,10.0.0.1,3322,DIRECT,WLC,0,b1=10.1.0.1/3323/1/8080", "TCP,10.0.0.1,3322,NAT,WLC,0,b1=fd00::1/3322/1/8080",
        "TCP,10.0.0.1,3322,NAT,WLC,60 UDP,10.0.0.1,3322,TUNNEL,WLC,60"})
    void whatIpvsCannotDoIsSaid(String plan) {
        assertThatThrownBy(() -> services(plan)).hasMessageStartingWith("EE-907");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TCP,0.0.0.0,3322,NAT,WLC,0", "TCP,10.0.0.1,0,NAT,WLC,0", "TCP,10.0.0.1,1,NAT,WLC,0,b1=10.1.0.1/1/254/8080",
        "TCP,10.0.0.1,1,NAT,WLC,0,b1=10.1.0.1/1/1/0", "TCP,10.0.0.1,1,NAT,WLC,-1"})
    void whatIsOutOfRangeIsSaid(String plan) {
        assertThatThrownBy(() -> services(plan)).hasMessageStartingWith("EE-905");
    }
}
