package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.receiver.ReceiverStatus;
import org.tamanoir.dyram.sim.Topology.Place;
import org.tamanoir.dyram.sim.Tree;
import org.tamanoir.dyram.source.SourceSettings;
import org.tamanoir.dyram.source.SourceSettings.Late;
import org.tamanoir.dyram.source.SourceSettings.Rate;
import org.tamanoir.dyram.source.SourceStatus.MemberStatus.State;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Data;

/** Places die in the middle of a session and come back, come late, or do not come back. */
class ARestartTest {
    private static final int PACKETS = 2_000;

    @Test
    void aReceiverThatComesBackGoesOnWithWhatItHad() {
        Scene scene = Scene.sites(1, PACKETS, 2, 2).keep(message -> message instanceof Data data && data.repair()
                || message instanceof Message.Nack).start();
        Place host = scene.host(0);
        scene.runUntilSent(PACKETS / 2);
        scene.topology.kill(host);
        scene.runUntilSent(PACKETS * 3 / 4);
        long had = host.receiver().status().have();

        scene.topology.start(host);

        assertThat(scene.runUntilOver(30)).isTrue();
        scene.assertDelivered();
        assertThat(had).isBetween(PACKETS / 4L, PACKETS / 2L);
        // What it had is not sent to it again: only what was sent while it was away is repaired, once, and asked for in a row.
        assertThat(repairs(scene, host)).isBetween(PACKETS / 5L, PACKETS / 3L).isEqualTo(host.receiver().status().repaired());
        assertThat(scene.sent).filteredOn(sent -> sent.message() instanceof Message.Nack)
                .allMatch(sent -> ((Message.Nack) sent.message()).losses().ranges().size() < 10);
    }

    private static long repairs(Scene scene, Place host) {
        return scene.sent.stream().filter(sent -> sent.to().equals(host.address()) && sent.message() instanceof Data).count();
    }

    /** 0 is the node of the source, 1 a node of a site. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aNodeThatIsStartedAnewIsToldEverything(int node) {
        Scene scene = Scene.sites(2, PACKETS, 2, 2);
        scene.rate = Rate.fixed(3_000_000);
        scene.start();
        scene.runUntilSent(PACKETS / 2);
        scene.topology.kill(scene.node(node));
        scene.simulation.runFor(100 * Scene.MILLI);
        scene.topology.start(scene.node(node));

        assertThat(scene.runUntilOver(60)).isTrue();
        scene.assertDelivered();
        assertThat(scene.count(scene.node(node), Count.DATA)).as("packets that went by way of it again").isPositive();
    }

    @Test
    void aNodeThatDiesAtTheEndIsReplacedAtTheEnd() {
        Scene scene = Scene.sites(3, PACKETS, 2, 2);
        scene.topology.down(scene.host(0)).loss(0.3);
        scene.start();
        scene.runUntilSent(PACKETS);
        scene.topology.start(scene.node(1));
        scene.topology.start(scene.node(0));

        assertThat(scene.runUntilOver(60)).isTrue();
        scene.assertDelivered();
    }

    @Test
    void aReceiverThatDiesIsGivenUpByName() {
        Scene scene = Scene.sites(4, PACKETS, 2, 2).start();
        scene.runUntilSent(PACKETS / 2);
        scene.topology.kill(scene.host(3));

        assertThat(scene.runUntilOver(60)).isTrue();

        scene.assertDelivered(scene.topology.hosts().subList(0, 3));
        assertThat(scene.status(scene.host(3)).state()).isEqualTo(State.LOST);
        assertThat(scene.status(scene.host(3)).error()).isEqualTo(ErrorCode.RECEIVER_LOST);
        assertThat(scene.status().allComplete()).isFalse();
    }

    /** Its disk is full, or breaks: also when it is asked for a repair. */
    @Test
    void aReceiverWhoseStoreFailsIsNamedAndTheOthersGoOn() {
        for (boolean whileAsked : new boolean[] {false, true}) {
            Scene scene = Scene.sites(9, PACKETS, 2, 2);
            scene.topology.down(scene.host(1)).loss(0.2);
            scene.start();
            scene.runUntilSent(PACKETS / 2);
            if (whileAsked) {
                // Nothing new comes, so the next that it is asked for is what it finds out by.
                scene.topology.down(scene.host(0)).drop(message -> message instanceof Data);
            }
            scene.host(0).store().fail();

            assertThat(scene.runUntilOver(60)).isTrue();
            scene.assertDelivered(scene.topology.hosts().subList(1, 4));
            assertThat(scene.status(scene.host(0)).state()).isEqualTo(State.FAILED);
            assertThat(scene.status(scene.host(0)).error()).isEqualTo(ErrorCode.STORAGE);
            assertThat(scene.host(0).receiver().status().error().code()).isEqualTo(ErrorCode.STORAGE);
        }
    }

    /** The new node has never heard of the receiver, and the nodes above it still believe that it is there. */
    @Test
    void aReceiverThatDiesWithItsNodeIsGivenUpToo() {
        Scene scene = Scene.sites(5, PACKETS, 2, 2).start();
        scene.runUntilSent(PACKETS / 2);
        scene.topology.kill(scene.host(0));
        scene.topology.start(scene.node(1));

        assertThat(scene.runUntilOver(60)).as("the source does not wait for ever").isTrue();

        scene.assertDelivered(scene.topology.hosts().subList(1, 4));
        assertThat(scene.status(scene.host(0)).state()).isEqualTo(State.LOST);
    }

    /** The node goes on telling the old session for half a minute; receivers know that its source is silent. */
    @Test
    void aSessionWhoseSourceIsSilentIsLeftForAnother() {
        Scene scene = Scene.sites(9, PACKETS, 2, 2).start();
        scene.runUntilSent(PACKETS / 2);
        scene.topology.killSource();
        scene.simulation.runFor(Scene.SECOND);
        scene.topology.startSource(new SourceSettings(99, Tree.GROUP, scene.node(0).address(), Tree.secret(), 0, Scene.PACKET_SIZE, List.of(), 4,
                Late.REFUSE, scene.rate, Duration.ofSeconds(60), Duration.ofSeconds(2)), scene.content);
        scene.simulation.runFor(Scene.SECOND);
        assertThat(scene.host(0).receiver().isSuperseded()).as("a source may be silent for two seconds").isFalse();
        scene.simulation.runFor(2 * Scene.SECOND);
        assertThat(scene.topology.hosts()).allSatisfy(host -> {
            assertThat(host.receiver().isSuperseded()).isTrue();
            assertThat(host.receiver().status().error().code()).isEqualTo(ErrorCode.SOURCE_LOST);
        });
    }

    @Test
    void whoComesLateIsRefused() {
        Scene scene = late(Late.REFUSE);

        assertThat(scene.runUntilOver(60)).isTrue();
        ReceiverStatus status = scene.host(3).receiver().status();
        assertThat(status.state()).isEqualTo(ReceiverStatus.State.FAILED);
        assertThat(status.error().code()).isEqualTo(ErrorCode.TOO_LATE);
        scene.assertDelivered(scene.topology.hosts().subList(0, 3));
    }

    @Test
    void whoComesLateIsServedFromTheFirstPacketOnByItsNeighbours() {
        Scene scene = late(Late.SERVE);

        assertThat(scene.runUntilOver(60)).isTrue();
        scene.assertDelivered();
        assertThat(scene.status().repairs()).as("packets that the source sent again").isLessThan(PACKETS / 20);
    }

    private static Scene late(Late late) {
        Scene scene = Scene.sites(6, PACKETS, 2, 2);
        scene.late = late;
        scene.gathering = Duration.ofSeconds(1);
        scene.topology.nodes().forEach(scene.topology::start);
        scene.topology.hosts().subList(0, 3).forEach(scene.topology::start);
        scene.startSource();
        scene.runUntilSent(PACKETS / 2);
        scene.topology.start(scene.host(3));
        return scene;
    }

    @Test
    void whoLeavesIsNamedAndTheOthersGoOn() {
        Scene scene = Scene.sites(7, PACKETS, 2, 2).start();
        scene.runUntilSent(PACKETS / 2);
        scene.host(2).receiver().leave(scene.simulation.now());

        assertThat(scene.runUntilOver(60)).isTrue();
        scene.assertDelivered(java.util.List.of(scene.host(0), scene.host(1), scene.host(3)));
        assertThat(scene.status(scene.host(2)).state()).isEqualTo(State.LEFT);
    }

    @Test
    void aReceiverThatIsTooSlowIsTakenOutByName() {
        Scene scene = Scene.sites(8, 2 * PACKETS, 2, 2);
        scene.rate = new Rate(2_000_000, 1_000_000, false);
        // What it can hear is a twentieth of what is sent.
        scene.topology.down(scene.host(0)).rate(100_000, 20 * Scene.MILLI);
        scene.start();

        // It takes 12 s.
        assertThat(scene.runUntilOver(40)).isTrue();

        assertThat(scene.status(scene.host(0)).state()).isEqualTo(State.DROPPED);
        assertThat(scene.status(scene.host(0)).error()).isEqualTo(ErrorCode.TOO_SLOW);
        assertThat(scene.host(0).receiver().status().error().code()).isEqualTo(ErrorCode.TOO_SLOW);
        scene.assertDelivered(scene.topology.hosts().subList(1, 4));
    }
}
