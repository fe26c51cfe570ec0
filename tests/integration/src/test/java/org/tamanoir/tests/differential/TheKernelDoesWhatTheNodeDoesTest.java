package org.tamanoir.tests.differential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.kernel.Feature;
import org.tamanoir.kernel.KernelProbe;
import org.tamanoir.lab.Host;
import org.tamanoir.lab.Lab;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.Link;
import org.tamanoir.lab.Port;

/**
 * One rule, two engines: more than 100,000 random datagrams through the BPF program (BPF_PROG_TEST_RUN, every octet of what comes out
 * compared) and through the node's rule table and meters; rules and flows change in between; all counters must be equal. The seed is a new
 * one each time, and is named when something differs; {@code -Ddifferential.seed=N} takes it again.
 */
@Tag("lab")
@Tag("seeded")
class TheKernelDoesWhatTheNodeDoesTest {
    private static final int ROUNDS = 12;
    private static final int PACKETS = 10_000;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @Test
    void forRandomRulesAndPackets() {
        LabRequirements requirements = LabRequirements.check();
        assumeTrue(requirements.met(), requirements::explain);
        KernelProbe probe = KernelProbe.of();
        for (Feature feature : new Feature[] {Feature.BPF, Feature.PERFMON, Feature.TCX}) {
            assumeTrue(probe.has(feature), () -> probe.missing(feature).orElse(""));
        }
        long seed = Long.getLong("differential.seed", System.nanoTime());
        System.out.println("differential test: again with -Dtest.jvm.args=-Ddifferential.seed=" + seed);
        try (Lab lab = Lab.open()) {
            Host node = lab.host("node");
            Link near = lab.link(lab.host("senders"), node);
            Link far = lab.link(node, lab.host("hops"));
            prepare(node, near, far);
            LabProcess process = node.startJava(DifferentialMain.class, near.second().name(), far.first().name(), String.valueOf(seed),
                    String.valueOf(ROUNDS), String.valueOf(PACKETS));
            String last = process.awaitLine("ended", PATIENCE);
            assertThat(last).startsWith("ended well");
            List<Long> tally = Arrays.stream(last.split(" ")).skip(2).map(Long::valueOf).toList();
            System.out.println("differential test: " + last);
            assertThat(tally.get(0)).as("packets").isGreaterThanOrEqualTo(100_000);
            assertThat(tally.subList(1, 6)).as("forwarded, dropped, answered, applied, up").allMatch(many -> many > 1_000);
            assertThat(process.awaitExit(Duration.ofSeconds(10))).isZero();
        }
    }

    /** Routes to all senders and next hops, with neighbours that need not be asked for: nothing is sent. */
    private static void prepare(Host node, Link near, Link far) {
        node.forward(true);
        node.route("172.16.0.0/12", near.first().ipv4());
        node.route("2001:db8::/32", near.first().ipv6());
        node.route("192.168.0.0/16", far.second().ipv4());
        node.route("fd77::/32", far.second().ipv6());
        neighbour(node, near.second().name(), near.first());
        neighbour(node, far.first().name(), far.second());
    }

    private static void neighbour(Host node, String device, Port port) {
        for (InetAddress address : List.of(port.ipv4(), port.ipv6())) {
            node.run("ip", "neigh", "replace", address.getHostAddress(), "lladdr", "02:00:00:00:00:99", "dev", device, "nud", "permanent");
        }
    }
}
