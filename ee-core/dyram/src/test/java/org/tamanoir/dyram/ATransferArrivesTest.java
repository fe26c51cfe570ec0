package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.sim.MemoryContent;
import org.tamanoir.dyram.sim.Simulation;
import org.tamanoir.dyram.sim.Tree;
import org.tamanoir.dyram.source.SourceStatus;

/** Twelve receivers at three sites get the same octets, whatever is lost, and what the source sends does not depend on it much. */
class ATransferArrivesTest {
    private static final int PACKETS = 2_000;
    private static final long MILLI = 1_000_000;

    @ParameterizedTest
    @CsvSource({"0, 0, 1.0", "0.05, 0, 1.001", "0.25, 0, 1.02", "0.5, 0, 1.15", "0, 0.05, 1.01", "0, 0.25, 1.04", "0, 0.5, 1.35", "0.2, 0.2, 1.1"})
    @Tag("long")
    void everybodyHasTheSame(double tail, double site, double most) {
        Simulation simulation = new Simulation(42);
        Tree tree = new Tree(simulation, new int[] {4, 4, 4}, MILLI / 10, 10 * MILLI, MILLI / 10, HopSettings.DEFAULT, HopSettings.DEFAULT);
        tree.tailLoss(tail);
        tree.siteLoss(site);
        MemoryContent content = new MemoryContent(PACKETS, 1_000, 1);
        tree.start(content, 1_000, 50_000_000, -1_000);

        boolean over = simulation.runUntil(() -> tree.sourceCore().status().state() == SourceStatus.State.OVER, 60_000 * MILLI);

        SourceStatus status = tree.sourceCore().status();
        assertThat(over).isTrue();
        assertThat(status.allComplete()).isTrue();
        assertThat(tree.hosts()).allSatisfy(host -> assertThat(host.store().content()).isEqualTo(content.octets()));
        assertThat(tree.sourceLink().data() / (double) PACKETS).isLessThanOrEqualTo(most);
    }
}
