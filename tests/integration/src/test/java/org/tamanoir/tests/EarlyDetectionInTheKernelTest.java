package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.benchmarks.paths.RouterTc;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.RouterTestbed;
import org.tamanoir.qos.domain.Domain;
import org.tamanoir.qos.domain.Domain.Queue;
import org.tamanoir.qos.domain.DomainFile;
import org.tamanoir.qos.domain.DomainSetup;
import org.tamanoir.qos.domain.DomainStatus;

/** RED for one and for three drop precedences, in a kernel of user-mode Linux: that of this machine may have neither. */
@Tag("lab")
class EarlyDetectionInTheKernelTest {
    private static final Set<Queue.Kind> KERNEL = Set.of(Queue.Kind.RED, Queue.Kind.GRED);
    private static final int PORT = 7000;
    private static final int EACH = 3000;
    private static final int OCTETS = 1000;

    @TempDir
    private Path folder;
    private RouterTestbed testbed;
    private DomainSetup setup;
    
    @BeforeEach
    void open() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        RouterTc.prepare(folder);
        testbed = RouterTestbed.open(1, 1);
        setup = new DomainSetup(new RouterTc(testbed.router(), folder), RouterTestbed.TO_RECEIVERS);
    }

    @AfterEach
    void close() {
        if (testbed != null) {
            testbed.close();
        }
    }

    private static Domain domain(String afTcp, String be) {
        return DomainFile.parse("{rate: 10mbit, classes: {af-tcp: {rate: 30%, queue: 100ms, " + afTcp + "}, be: {rate: 60%, queue: 100ms, " + be + "}}}", KERNEL);
    }

    /** One boot for all: a second one would take longer than everything here. */
    @Test
    void whatIsAskedForIsThereAndDropsByPrecedenceAndMarksWhoUnderstands() throws Exception {
        String before = testbed.router().run("tc qdisc show; tc filter show dev vec1");
        for (Domain each : List.of(domain("red: {bands: [20-80%]}", "red: {percent: 2, ecn: false}"), domain("red: {bands: [60-90%, 30-50%, 5-20%], percent: 7, ecn: false}", "red: {bands: [5-60%]}"))) {
            setup.apply(each, false);
            assertThat(setup.plan(each, false)).as("the kernel has what was asked for").isEmpty();
        }
        // Of each precedence as many, far more than the link takes; the two bits of ECN are not set.
        send(10 << 2, 12 << 2, 14 << 2);
        List<DomainStatus.Early> assured = early("AF-TCP");
        assertThat(assured).extracting(DomainStatus.Early::packets).allMatch(packets -> packets == EACH);
        List<Long> lost = assured.stream().map(each -> each.dropped() + each.forced()).toList();
        assertThat(lost.get(0)).as("%s", assured).isLessThan(lost.get(1));
        assertThat(lost.get(1)).isLessThan(lost.get(2));
        assertThat(assured).allMatch(each -> each.marked() == 0);

        // Best effort that understands marks (ECT(0)) is marked, what does not is dropped.
        send(0, 2);
        DomainStatus.Early best = early("BE").get(0);
        assertThat(best.marked()).as("%s", best).isPositive();
        assertThat(best.dropped()).as("%s", best).isPositive();

        assertThat(setup.remove()).isTrue();
        assertThat(testbed.router().run("tc qdisc show; tc filter show dev vec1")).isEqualTo(before);
    }

    private List<DomainStatus.Early> early(String name) {
        return setup.show().classes().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow().early();
    }

    /** Datagrams by turns, of each value of the octet of DSCP and ECN as many. */
    private void send(int... fields) throws Exception {
        testbed.sender(1).host().inside(() -> {
            DatagramSocket[] sockets = new DatagramSocket[fields.length];
            for (int i = 0; i < fields.length; i++) {
                sockets[i] = new DatagramSocket();
                sockets[i].setTrafficClass(fields[i]);
            }
            for (int i = 0; i < EACH; i++) {
                for (DatagramSocket socket : sockets) {
                    socket.send(new DatagramPacket(new byte[OCTETS], OCTETS, testbed.receiver(1).ipv4(), PORT));
                }
                Thread.sleep(0, 300_000);
            }
            return null;
        });
    }
}
