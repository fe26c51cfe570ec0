package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.tamanoir.dyram.sim.Topology.Place;

/** Nodes remember what is missing, never what was sent: in the middle of a lossy session no content is reachable from them. */
class ANodeKeepsNoContentTest {
    @Test
    void inTheMiddleOfRepairsNoOctetOfContentIsReachableFromANode() {
        Scene scene = Scene.sites(1, 600, 3, 3);
        scene.topology.hosts().forEach(host -> scene.topology.down(host).loss(0.3));
        scene.topology.down(scene.node(1)).loss(0.3);
        scene.start();
        int losses = 0;
        for (int i = 1; i <= 6; i++) {
            scene.runUntilSent(i * 100);
            for (Place node : scene.topology.nodes()) {
                losses += node.node().losses();
                assertThat(ContentFinder.in(node.node())).as(node.name()).isEmpty();
            }
        }
        assertThat(losses).as("missing packets that nodes remembered when they were looked at").isPositive();
        // The same look finds what is there: a receiver's store has content.
        assertThat(ContentFinder.in(scene.host(0).store())).isNotEmpty();
    }
}
