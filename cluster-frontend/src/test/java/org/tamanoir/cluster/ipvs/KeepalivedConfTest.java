package org.tamanoir.cluster.ipvs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans and the configurations and tables of marks that they give, to the letter; {@link KeepalivedTest} shows them to keepalived. */
class KeepalivedConfTest {
    static final String NAT = "TCP,10.77.0.100,3322,NAT,WLC,0,b1=10.77.1.11/3322/10/8080,b2=10.77.1.12/3323/0/8081 UDP,10.77.0.100,3322,NAT,WLC,0,"
            + "b1=10.77.1.11/3322/10/8080";
    static final String AFFINITY = "TCP,10.77.0.100,3322,DIRECT,SED,300,b1=10.77.1.11/3322/10/8080,b2=10.77.1.12/3322/0/8080 "
            + "UDP,10.77.0.100,3322,DIRECT,SED,300,b1=10.77.1.11/3322/10/8080";
    static final String SIX = "TCP,fd00:77::100,3322,TUNNEL,WRR,0,b1=fd00:77:1::11/3322/253/8080 TCP,fd00:77::100,3323,NAT,MH,60,b1=fd00:77:1::11/9/1/8080 "
            + "UDP,fd00:77::100,3323,NAT,MH,0,b1=fd00:77:1::11/9/1/8080 TCP,fd00:77::101,3322,NAT,MH,60,b1=fd00:77:1::11/3322/1/8080 "
            + "UDP,fd00:77::101,3322,NAT,MH,60,b1=fd00:77:1::11/3322/1/8080";

    static IpvsSettings settings(boolean pair) {
        Vrrp vrrp = new Vrrp("eth0", 51, 150, Plans.address("10.77.0.3"), List.of(Plans.address("10.77.0.4")), Vrrp.ADVERTISEMENT,
                List.of(VirtualAddress.of(Plans.address("10.77.0.100")), new VirtualAddress(Plans.address("10.77.1.1"), 24, "eth1"),
                        VirtualAddress.of(Plans.address("fd00:77::100"))), "eth1");
        return new IpvsSettings(Path.of("/run/tamanoir/front"), CheckerSettings.DEFAULT, pair ? vrrp : null, IpvsSettings.FIRST_MARK, IpvsSettings.MARKS);
    }

    static String text(String plan, boolean pair) {
        IpvsSettings settings = settings(pair);
        return KeepalivedConf.text(Director.services(Plans.parse(plan), settings), settings, Set.of());
    }

    @ParameterizedTest
    @CsvSource({"nat, false", "affinity, true", "six, false", "nothing, true"})
    void aPlanGivesItsGoldenFile(String name, boolean pair) throws IOException {
        assertThat(text(plan(name), pair)).isEqualTo(golden(name + ".conf"));
    }

    @Test
    void marksAreSetForTcpAndUdpOfServicesThatShareOne() throws IOException {
        IpvsSettings settings = settings(false);
        List<Director.Service> services = Director.services(Plans.parse(AFFINITY + " " + SIX), settings);
        assertThat(MarkTable.replace(services, "ip", "0123456789abcdef") + MarkTable.replace(services, "ip6", "0123456789abcdef"))
                .isEqualTo(golden("marks.nft"));
        assertThat(MarkTable.needed(Director.services(Plans.parse(AFFINITY), settings), "ip6")).isFalse();
    }

    /** A weight changes every few seconds: it must not be a change of the configuration, which would begin all checks anew. */
    @Test
    void aWeightIsInItsFileAndNotInTheConfiguration() {
        assertThat(text(NAT.replace("/10/", "/77/"), false)).isEqualTo(text(NAT, false));
        IpvsSettings settings = settings(false);
        List<Director.Service> services = Director.services(Plans.parse(NAT), settings);
        assertThat(services.get(0).servers()).extracting(KeepalivedConf::weightFile).containsExactly("9\n", "-1\n");
    }

    @Test
    void onlyWhatTheKernelHasAlreadyIsTakenToBeWell() {
        IpvsSettings settings = settings(false);
        List<Director.Service> services = Director.services(Plans.parse(NAT), settings);
        var place = new KeepalivedConf.Place(services.get(0).key(), new java.net.InetSocketAddress(Plans.address("10.77.1.12"), 3323));
        String text = KeepalivedConf.text(services, settings, Set.of(place));
        assertThat(text.split("alpha no", -1)).hasSize(2);
        assertThat(text.substring(text.indexOf("real_server 10.77.1.12"))).contains("alpha no");
        assertThat(text.replace("        alpha no\n", "")).isEqualTo(text(NAT, false));
    }

    @Test
    void aFractionOfASecondOfPersistenceIsASecond() {
        assertThat(KeepalivedConf.persistence(Plans.parse(NAT).services().get(0))).isZero();
        var service = Plans.parse(NAT).services().get(0);
        assertThat(KeepalivedConf.persistence(new org.tamanoir.cluster.plan.Plan.VirtualService("p", service.address(), 1, service.transport(), service.method(),
                service.scheduler(), Duration.ofMillis(1), List.of()))).isEqualTo(1);
    }

    static String plan(String name) {
        return switch (name) {
            case "nat" -> NAT;
            case "affinity" -> AFFINITY;
            case "six" -> SIX;
            default -> "-";
        };
    }

    static String golden(String name) throws IOException {
        try (InputStream file = KeepalivedConfTest.class.getResourceAsStream(name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
