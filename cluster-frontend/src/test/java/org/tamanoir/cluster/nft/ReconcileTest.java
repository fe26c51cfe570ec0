package org.tamanoir.cluster.nft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.cluster.nft.Plans.server;
import static org.tamanoir.cluster.nft.Plans.service;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tamanoir.cluster.check.Check;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Transport;

/** Which tracked connections have to go, from lines as conntrack 1.4.7 prints them. */
class ReconcileTest {
    private static final String VIRTUAL = "10.0.9.1";
    private static final RealServer GOOD = server("good", "10.0.1.1", 10);
    private static final RealServer DRAINS = server("drains", "10.0.1.2", 0);
    private static final RealServer REFUSED = server("refused", "10.0.1.3", 10);
    private static final RealServer SILENT = server("silent", "10.0.1.4", 10);
    private static final Plan PLAN = new Plan(List.of(service(Transport.TCP, VIRTUAL, 0, GOOD, DRAINS, REFUSED, SILENT),
            service(Transport.UDP, VIRTUAL, 0, GOOD, DRAINS, REFUSED, SILENT)));
    private static final Map<RealServer, Check.State> STATES = Map.of(GOOD, Check.State.UP, DRAINS, Check.State.UP, REFUSED, Check.State.REFUSED,
            SILENT, Check.State.SILENT);

    @Test
    void tcpStaysWithADrainingBackEndAndUdpLeavesIt() {
        assertThat(evictions(tcp("ESTABLISHED", "10.0.1.2", 3322), udp("10.0.1.2", 3322), udp("10.0.1.1", 3322))).containsExactly("UDP 10.0.1.2");
    }

    @Test
    void everythingLeavesABackEndThatRefusesOrIsNotInThePlan() {
        assertThat(evictions(tcp("ESTABLISHED", "10.0.1.3", 3322), udp("10.0.1.3", 3322), tcp("ESTABLISHED", "10.0.1.9", 3322), udp("10.0.1.9", 3322),
                tcp("ESTABLISHED", "10.0.1.1", 9))).containsExactly("TCP 10.0.1.1", "TCP 10.0.1.3", "TCP 10.0.1.9", "UDP 10.0.1.3", "UDP 10.0.1.9");
    }

    /** It may be busy: a check that was late must not break what it has. */
    @Test
    void aSilentBackEndKeepsTheConnectionsThatItHasAnswered() {
        assertThat(evictions(tcp("ESTABLISHED", "10.0.1.4", 3322), udp("10.0.1.4", 3322))).containsExactly("UDP 10.0.1.4");
        assertThat(evictions(tcp("ESTABLISHED", "10.0.1.4", 3322), tcp("SYN_SENT", "10.0.1.4", 3322))).containsExactly("TCP 10.0.1.4 opening");
    }

    /** A front-end that has just been started must not break what goes well, before it has checked anybody. */
    @Test
    void beforeTheFirstChecksOnlyWhatIsNotInThePlanGoes() {
        Map<RealServer, Check.State> unknown = Map.of(GOOD, Check.State.UNKNOWN, DRAINS, Check.State.UNKNOWN, REFUSED, Check.State.UNKNOWN,
                SILENT, Check.State.UNKNOWN);
        assertThat(evictions(unknown, tcp("SYN_SENT", "10.0.1.1", 3322), udp("10.0.1.1", 3322), udp("10.0.1.2", 3322), udp("10.0.1.9", 3322)))
                .containsExactly("UDP 10.0.1.2", "UDP 10.0.1.9");
    }

    /** Datagrams that came while there was no back end are tracked as the director's own, and would be for as long as they come. */
    @Test
    void whatWasNeverTranslatedGoesWithUdpAlone() {
        assertThat(evictions(udp(VIRTUAL, 3322), tcp("ESTABLISHED", VIRTUAL, 3322))).containsExactly("UDP " + VIRTUAL);
    }

    @Test
    void connectionsOfOthersAreNotLookedAt() {
        assertThat(evictions("tcp      6 10 ESTABLISHED src=10.0.2.1 dst=10.0.9.2 sport=5 dport=3322 src=10.0.1.9 dst=10.0.2.1 sport=3322 dport=5 mark=0 use=1",
                "udp      17 10 src=10.0.2.1 dst=10.0.9.1 sport=5 dport=53 src=10.0.1.9 dst=10.0.2.1 sport=53 dport=5 mark=0 use=1",
                "icmp     1 29 src=10.0.2.1 dst=10.0.9.1 type=8 code=0 id=1 src=10.0.9.1 dst=10.0.2.1 type=0 code=0 id=1 mark=0 use=1",
                "conntrack v1.4.7 (conntrack-tools): 3 flow entries have been shown.", "", "tcp", "udp 17 x src= dst= sport= dport=",
                "udp      17 10 src=10.0.2.1 dst=10.0.9.1 sport=5 dport=3322 src=10.0.1.9 dst=10.0.2.1 sport=33conntrack dport=5 mark=0 use=1")).isEmpty();
    }

    @Test
    void sixIsReadInEitherForm() {
        Plan plan = new Plan(List.of(service(Transport.UDP, "fd00::9:1", 0, server("a", "fd00::1:1", 10))));
        TrackedConnections flows = new TrackedConnections(Set.of(TrackedConnections.service(Transport.UDP, Plans.address("fd00::9:1"), 3322)));
        flows.add("udp      17 28 src=fd00::2 dst=fd00::9:1 sport=5 dport=3322 [UNREPLIED] src=fd00::1:1 dst=fd00::2 sport=3322 dport=5 mark=0 use=1");
        flows.add("udp      17 28 src=fd00::2 dst=fd00:0:0:0:0:0:9:1 sport=6 dport=3322 src=fd00::1:2 dst=fd00::2 sport=3322 dport=6 [ASSURED] mark=0 use=1");
        assertThat(flows.counts().values()).containsExactlyInAnyOrder(new TrackedConnections.Count(0, 0, 1), new TrackedConnections.Count(1, 0, 0));
        assertThat(Reconcile.evictions(Reconcile.keep(plan, server -> Check.State.UP), flows.counts())).extracting(each -> each.key().to())
                .containsExactly("fd00:0:0:0:0:0:1:2");
    }

    private static List<String> evictions(String... lines) {
        return evictions(STATES, lines);
    }

    private static List<String> evictions(Map<RealServer, Check.State> states, String... lines) {
        TrackedConnections flows = new TrackedConnections(Set.of(TrackedConnections.service(Transport.TCP, Plans.address(VIRTUAL), 3322), TrackedConnections.service(Transport.UDP, Plans.address(VIRTUAL), 3322)));
        for (String line : lines) {
            flows.add(line);
        }
        return Reconcile.evictions(Reconcile.keep(PLAN, states::get), flows.counts()).stream()
                .map(each -> each.key().transport() + " " + each.key().to() + (each.openingOnly() ? " opening" : "")).toList();
    }

    private static String tcp(String state, String to, int port) {
        return "tcp      6 431999 " + state + " src=10.0.2.1 dst=" + VIRTUAL + " sport=40000 dport=3322 " + (state.equals("SYN_SENT") ? "[UNREPLIED] " : "")
                + "src=" + to + " dst=10.0.2.1 sport=" + port + " dport=40000 [ASSURED] mark=0 use=1";
    }

    private static String udp(String to, int port) {
        return "udp      17 28 src=10.0.2.1 dst=" + VIRTUAL + " sport=40000 dport=3322 src=" + to + " dst=10.0.2.1 sport=" + port + " dport=40000 mark=0 use=1";
    }
}
