package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.sim.MemoryContent;
import org.tamanoir.dyram.sim.OneWayLink;
import org.tamanoir.dyram.sim.Simulation;
import org.tamanoir.dyram.sim.Tree;
import org.tamanoir.dyram.source.SourceSettings;
import org.tamanoir.dyram.wire.Message.Data;

/** When a repair is lost too, the next one comes as fast as the way it takes allows. Links here have delays that do not vary. */
class ASecondLossCostsLittleTest {
    private static final long MILLI = 1_000_000;
    private static final int PACKETS = 200;
    private static final int LOST = 100;
    private static final long FIRST = 1;
    /** So long a session goes on before its first packet: round trips are known then. */
    private static final Duration WARM_UP = Duration.ofSeconds(6);

    private final Simulation simulation = new Simulation(7);
    private Tree tree;
    private long sentAt;
    private long gotAt;

    private void run(long sourceMillis, long coreMillis, long tailMillis, int[] hosts, int lostOnSourceLink, int lostOnTail, int losers) {
        tree = new Tree(simulation, hosts, sourceMillis * MILLI, coreMillis * MILLI, tailMillis * MILLI, HopSettings.DEFAULT,
                HopSettings.DEFAULT);
        tree.startCore();
        for (int site = 0; site < hosts.length; site++) {
            tree.startSite(site);
        }
        tree.hosts().forEach(tree::startHost);
        lose(tree.sourceLink(), lostOnSourceLink);
        tree.hosts().stream().limit(losers).forEach(host -> lose(simulation.pipe(host.node(), host.address()), lostOnTail));
        tree.hosts().get(0).store().whenPut(index -> gotAt = index == LOST ? simulation.now() : gotAt);
        simulation.observer((now, from, to, message, arrives) -> {
            InetSocketAddress source = tree.source();
            if (from.equals(source) && message instanceof Data data && !data.repair() && data.sequence() == FIRST + LOST) {
                sentAt = now;
            }
        });
        tree.startSource(new SourceSettings(9, Tree.GROUP, tree.core(), Tree.secret(), FIRST, 100, List.of(), tree.hosts().size() + 1,
                SourceSettings.Late.REFUSE, SourceSettings.Rate.fixed(1_000_000), WARM_UP, SourceSettings.PATIENCE),
                new MemoryContent(PACKETS, 100, 1));
        assertThat(simulation.runUntil(() -> gotAt > 0, 60_000 * MILLI)).isTrue();
    }

    /** Loses a packet so often. */
    private static void lose(OneWayLink pipe, int times) {
        AtomicInteger left = new AtomicInteger(times);
        pipe.drop(message -> message instanceof Data data && data.sequence() == FIRST + LOST && left.getAndDecrement() > 0);
    }

    /** How much later than a packet that is not lost, in milliseconds. */
    private long late(long oneWayMillis) {
        return (gotAt - sentAt) / MILLI - oneWayMillis;
    }

    @Test
    void aNeighbourRepairsAgainInASecondRound() {
        run(10, 200, 100, new int[] {4}, 0, 2, 1);

        // NACK, request, repair to the node, repair to the host: twice, and in between a quarter of a round trip and the margins.
        assertThat(late(310)).isBetween(800L, 920L);
    }

    @Test
    void theNextHopDoesNotTakeASecondRequestForOneThatCrossedTheRepair() {
        run(150, 10, 1, new int[] {4}, 2, 0, 1);

        // From the source's node: a first round trip to the source; patience of one and a quarter and 50 ms; and the second.
        assertThat(late(161)).isBetween(600L, 760L);
    }

    @Test
    void whoMissesARepairThatANodeFoundMissingAsksItsNeighbours() {
        run(10, 200, 10, new int[] {4}, 1, 1, 1);

        assertThat(late(220)).as("a round trip to the source is 440 ms").isLessThan(250L);
    }

    @Test
    void aReceiverWithoutNeighboursAsksOnceInARoundTrip() {
        run(10, 200, 10, new int[] {1}, 0, 1, 1);

        assertThat(tree.siteNodes().get(0).counters().get(Count.NACKS)).isEqualTo(1);
    }

    @Test
    void sitesWithOneReceiverEachRepairForEachOtherAgain() {
        run(10, 100, 10, new int[] {1, 1}, 0, 2, 1);

        // Up, the request, the repair up, and down: 440 ms, twice. What nodes tell each other of their times must not add up from report to report.
        assertThat(late(120)).isBetween(880L, 1_100L);
    }

    @Test
    void aSiteThatLosesARepairAltogetherAsksAgainAtOnce() {
        run(10, 400, 1, new int[] {2, 2}, 0, 2, 2);

        // As above, 1,604 ms, twice; in between the receivers may have gone back to asking once in some hundred milliseconds.
        assertThat(late(411)).isBetween(3_208L, 3_700L);
    }
}
