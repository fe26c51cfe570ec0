package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.dyram.receiver.ReceiverStatus;
import org.tamanoir.dyram.sim.Topology.Place;
import org.tamanoir.dyram.source.SourceSettings.Rate;
import org.tamanoir.dyram.source.SourceStatus.MemberStatus.State;

/** The source's node is away, or the source itself: who waits, for how long, and what is sent meanwhile. */
class ASourceWithoutItsNodeTest {
    private static final int PACKETS = 4_000;
    /** Packets a second at the rate below. */
    private static final int A_SECOND = 430;

    private static Scene half(Duration patience) {
        Scene scene = Scene.sites(11, PACKETS, 2, 2);
        // 500 octets and headers: the whole takes nine seconds.
        scene.rate = Rate.fixed(2_000_000);
        scene.patience = patience;
        scene.topology.hosts().forEach(host -> host.patience(patience));
        scene.start();
        scene.runUntilSent(PACKETS / 4);
        return scene;
    }

    /** A source that cannot be heard by anybody has nothing to send: it would only fill the way with repairs later. */
    @ParameterizedTest
    @ValueSource(ints = {2, 7, 60})
    void waitsForItWithinItsPatienceAndGoesOnWhereItWas(int seconds) {
        Scene scene = half(Duration.ofSeconds(90));
        long before = scene.status().sent();
        scene.topology.kill(scene.node(0));
        scene.simulation.runFor(seconds * Scene.SECOND);
        assertThat(scene.status().sent()).as("packets, at most of two seconds").isBetween(before, before + 2 * A_SECOND);
        scene.topology.start(scene.node(0));

        assertThat(scene.runUntilOver(60)).isTrue();
        scene.assertDelivered();
        assertThat(scene.status().repairs()).as("packets that were sent to nobody").isLessThan(3 * A_SECOND);
    }

    @Test
    void givesUpWhenItsPatienceIsOverAndNotLater() {
        Scene scene = half(Duration.ofSeconds(10));
        scene.topology.kill(scene.node(0));
        long killed = scene.simulation.now();
        assertThat(scene.runUntilOver(60)).isTrue();
        assertThat((scene.simulation.now() - killed) / (double) Scene.SECOND).isBetween(9.0, 15.0);
        assertThat(scene.status().allComplete()).isFalse();
        assertThat(scene.status(scene.host(0)).state()).isEqualTo(State.LOST);
        assertThat(scene.status(scene.host(0)).silent()).as("who is silent").isEqualTo(scene.node(0).address());
        assertThat(scene.status().sent()).as("nothing is left to send that could be read in vain").isLessThan(PACKETS / 2);
    }

    /** The nodes between go on talking to a receiver; its patience is for the source. */
    @Test
    void aReceiverWaitsForItsSourceAsLongAsItWasToldAndNotForEveryNodeInBetweenToo() {
        Scene scene = half(Duration.ofSeconds(10));
        long killed = scene.simulation.now();
        scene.topology.killSource();
        Place host = scene.host(0);
        assertThat(scene.simulation.runUntil(() -> host.receiver().status().state() == ReceiverStatus.State.FAILED, killed + 100 * Scene.SECOND)).isTrue();
        assertThat((scene.simulation.now() - killed) / (double) Scene.SECOND).isBetween(10.0, 15.0);
        assertThat(host.receiver().status().error()).hasMessage("EE-709 nothing was heard of the source for 10.0 s; node " + text(host.above())
                + " answers: the silence is beyond it");
    }

    @Test
    void aReceiverWhoseOwnNodeIsSilentNamesIt() {
        Scene scene = half(Duration.ofSeconds(10));
        Place host = scene.host(0);
        scene.topology.kill(host.above());
        assertThat(scene.simulation.runUntil(() -> host.receiver().status().state() == ReceiverStatus.State.FAILED, scene.simulation.now() + 100 * Scene.SECOND)).isTrue();
        assertThat(host.receiver().status().error()).hasMessageMatching("EE-709 nothing was heard of the source for 10\\.0 s; node "
                + Pattern.quote(text(host.above())) + " has been silent for 10\\.\\d s");
    }

    private static String text(Place node) {
        return node.address().getAddress().getHostAddress() + " port " + node.address().getPort();
    }
}
