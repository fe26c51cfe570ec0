package org.tamanoir.node.routing.told;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.node.routing.told.SimulatedNetwork.MILLI;
import static org.tamanoir.node.routing.told.SimulatedNetwork.SECOND;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.routing.told.SimulatedNetwork.Node;
import org.tamanoir.service.rule.Prefix;

/** What the protocol costs in a network of a thousand nodes. */
class AThousandNodesTest {
    private static final int NODES = 1000;
    /** The node that dies is one with many links. */
    private static final int VICTIM = 3;
    private static final List<Prefix> ALL = List.of(Prefix.parse("10.0.0.0/8"));

    private SimulatedNetwork network;
    private final long[] changes = new long[NODES];
    private long lastChange;

    @Tag("long")
    @Test
    void ofWhichEachTenthHasAPrefixFindTheirWaysAfterTheStartAndAfterADeath() {
        run(10);
    }

    @Tag("sweep")
    @Test
    void ofWhichEachFourthHasAPrefixDoToo() {
        run(4);
    }

    @Tag("sweep")
    @Test
    void ofWhichEachHasAPrefixDoToo() {
        run(1);
    }

    private void run(int every) {
        long before = memory();
        long processor = processor();
        network = new SimulatedNetwork(17, NODES, 50 * MILLI, this::afterEvent);
        network.longestDelay = 20 * MILLI;
        build(every);
        long start = network.now;
        network.nodes.forEach(node -> node.start(1));
        network.runUntil(start + 6 * SECOND);
        print("start", start);
        System.out.printf(Locale.ROOT, "  memory: %d KiB a node, for %d prefixes%n", (memory() - before) / NODES / 1024, NODES / every);
        assertThat(lastChange - start).as("ns to converge after the start").isLessThan(5 * SECOND);
        checkShortest();

        network.nodes.forEach(node -> node.sent = node.octets = 0);
        start = network.now;
        network.runUntil(start + 2 * SECOND);
        print("two quiet seconds", start);

        network.nodes.forEach(node -> node.sent = node.octets = 0);
        start = network.now;
        network.nodes.get(VICTIM).stop();
        network.runUntil(start + 5 * SECOND);
        print("death of a node with " + network.nodes.get(VICTIM).links.size() + " links", start);
        assertThat(lastChange - start).as("ns to converge after a death").isLessThan(4 * SECOND);
        checkShortest();
        System.out.printf(Locale.ROOT, "  processor: %.1f s for all%n", (processor() - processor) / 1e9);
    }

    private static long processor() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** Each new node has links to two that are there, so some have many. */
    private void build(int every) {
        Random random = new Random(17);
        for (int i = 1; i < NODES; i++) {
            for (int links = Math.min(i, 2); links > 0; links--) {
                int other = random.nextInt(i);
                if (!network.areLinked(i, other)) {
                    network.link(i, other, policy(random), policy(random));
                }
            }
        }
        for (Node node : network.nodes) {
            node.own = node.number % every == 0 ? Set.of(prefix(node.number)) : Set.of();
        }
    }

    private static ToldPolicy policy(Random random) {
        return new ToldPolicy(ALL, ALL, 1 + random.nextInt(10), NODES);
    }

    private static Prefix prefix(int node) {
        return Prefix.parse("10." + (node >> 8) + "." + (node & 0xFF) + ".0/24");
    }

    private void afterEvent(int number) {
        Node node = network.nodes.get(number);
        if (node.routes != null && node.routes.changes() != changes[number]) {
            changes[number] = node.routes.changes();
            lastChange = network.now;
        }
    }

    private void checkShortest() {
        for (int destination = 0; destination < NODES; destination += 52) {
            int[] shortest = network.shortest(prefix(destination));
            for (Node node : network.nodes) {
                if (node.routes != null) {
                    ToldWay way = node.routes.way(prefix(destination));
                    assertThat(way == null ? ToldPrefix.UNREACHABLE : way.metric()).as("from %d to %d", node.number, destination).isEqualTo(shortest[node.number]);
                }
            }
        }
    }

    private void print(String what, long start) {
        long messages = network.nodes.stream().mapToLong(node -> node.sent).sum();
        long octets = network.nodes.stream().mapToLong(node -> node.octets).sum();
        long most = network.nodes.stream().mapToLong(node -> node.octets).max().orElse(0);
        System.out.printf(Locale.ROOT, "%s: last way changed after %.2f s; %d messages and %d octets a node, at most %d octets, over %.0f s%n", what,
                Math.max(0, lastChange - start) / 1e9, messages / NODES, octets / NODES, most, (network.now - start) / 1e9);
    }

    private static long memory() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
