package org.tamanoir.dyram;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.receiver.ReceiverStatus;
import org.tamanoir.dyram.sim.MemoryContent;
import org.tamanoir.dyram.sim.Topology.Place;
import org.tamanoir.dyram.sim.Tree;
import org.tamanoir.dyram.source.SourceCore;
import org.tamanoir.dyram.source.SourceSettings;
import org.tamanoir.dyram.source.SourceStatus;
import org.tamanoir.dyram.source.SourceStatus.MemberStatus;
import org.tamanoir.dyram.wire.Message;

/** Numbers at their limits, and who takes part: names, secrets, two sources on one group. */
class ATransferEndsTest {
    private static final int PACKETS = 300;

    @Test
    void sequenceNumbersWrapAt63And64Bits() {
        for (long first : new long[] {Long.MAX_VALUE - 100, -100, Long.MIN_VALUE, 0}) {
            Scene scene = Scene.sites(1, PACKETS, 2, 2);
            scene.first = first;
            scene.topology.hosts().forEach(host -> scene.topology.down(host).loss(0.2));
            scene.topology.down(scene.node(1)).loss(0.2);
            scene.start();

            assertThat(scene.runUntilOver(30)).as("from %x on", first).isTrue();
            scene.assertDelivered();
        }
    }

    @Test
    void oneNameIsForOneReceiver() {
        Scene scene = Scene.sites(2, PACKETS, 2, 2);
        scene.expect = 3;
        scene.topology.nodes().forEach(scene.topology::start);
        scene.topology.start(scene.host(0));
        scene.startSource();
        scene.simulation.runFor(2 * Scene.SECOND);
        scene.host(3).memberName(scene.host(0).name());
        List.of(1, 2, 3).forEach(number -> scene.topology.start(scene.host(number)));

        assertThat(scene.runUntilOver(30)).isTrue();
        scene.assertDelivered(scene.topology.hosts().subList(0, 3));
        assertThat(scene.host(3).receiver().status().error().code()).isEqualTo(ErrorCode.NAME_TAKEN);
        assertThat(scene.status().members()).hasSize(3).allMatch(MemberStatus::isComplete);
    }

    @Test
    void onlyWhoIsExpectedTakesPart() {
        Scene scene = Scene.sites(3, PACKETS, 2, 2);
        scene.names = List.of("host 0.0", "host 0.1", "host 1.0");
        scene.expect = 3;
        scene.topology.nodes().forEach(scene.topology::start);
        // It comes while there is room.
        scene.topology.start(scene.host(3));
        scene.startSource();
        scene.simulation.runFor(2 * Scene.SECOND);
        List.of(0, 1, 2).forEach(number -> scene.topology.start(scene.host(number)));

        assertThat(scene.runUntilOver(30)).isTrue();
        scene.assertDelivered(scene.topology.hosts().subList(0, 3));
        assertThat(scene.host(3).receiver().status().error().code()).isEqualTo(ErrorCode.NOT_EXPECTED);
        assertThat(scene.host(3).receiver().status().have()).isZero();
    }

    @Test
    void whoHasAnotherSecretTakesNoPartAndSaysWhy() {
        Scene scene = Scene.sites(4, PACKETS, 2, 2);
        scene.expect = 3;
        scene.host(3).secret(new byte[] {9});
        scene.start();

        assertThat(scene.runUntilOver(30)).isTrue();
        scene.assertDelivered(scene.topology.hosts().subList(0, 3));
        ReceiverStatus status = scene.host(3).receiver().status();
        assertThat(status.error().code()).isEqualTo(ErrorCode.NOT_AUTHENTIC);
        assertThat(status.have()).isZero();
    }

    @Test
    void aJoinThatTheSecretDoesNotVouchForIsRefused() {
        Scene scene = Scene.sites(5, PACKETS, 2, 2);
        scene.expect = 5;
        scene.gathering = java.time.Duration.ofSeconds(2);
        scene.start();
        scene.simulation.runFor(Scene.SECOND);
        for (int i = 0; i < 100; i++) {
            scene.say(scene.host(0), new Message.Join(Scene.SESSION, "forged " + i, i, false, true, new byte[16]));
        }

        assertThat(scene.runUntilOver(30)).isTrue();
        scene.assertDelivered(scene.topology.hosts());
        assertThat(scene.status().members()).hasSize(4);
        assertThat(scene.status().refused()).isEqualTo(100);
    }

    @Test
    void twoSourcesOnOneGroupDoNotMix() {
        Scene scene = Scene.sites(6, PACKETS, 2, 2);
        scene.topology.hosts().forEach(host -> scene.topology.down(host).loss(0.1));
        scene.start();
        scene.runUntilSent(50);
        InetSocketAddress other = scene.simulation.address("other source");
        scene.simulation.link(other, scene.node(2).address(), Scene.MILLI);
        SourceCore second = new SourceCore(new SourceSettings(99, Tree.GROUP, scene.node(2).address(), Tree.secret(), 0, Scene.PACKET_SIZE,
                List.of(), 1, SourceSettings.Late.SERVE, SourceSettings.Rate.fixed(10_000_000), java.time.Duration.ofSeconds(3),
                java.time.Duration.ofSeconds(1)), new MemoryContent(50, Scene.PACKET_SIZE, 99), scene.simulation.outlet(other),
                scene.simulation.random());
        scene.simulation.run(other, second);

        assertThat(scene.runUntilOver(30)).isTrue();
        scene.assertDelivered();
        assertThat(scene.simulation.runUntil(() -> second.status().state() == SourceStatus.State.OVER, 60 * Scene.SECOND)).isTrue();
        assertThat(second.status().allComplete()).isFalse();
    }

    /** Its node asks where it is while it says good-bye: no announcement follows any more, and none may be due for ever. */
    @Test
    void aSourceThatIsChallengedAtItsEndIsNotKeptAwake() {
        Scene scene = Scene.sites(8, PACKETS, 2).start();
        assertThat(scene.simulation.runUntil(() -> scene.status().state() == SourceStatus.State.CLOSING, 30 * Scene.SECOND)).isTrue();
        SourceCore source = scene.topology.sourceCore();
        long now = scene.simulation.now();

        source.onMessage(now, new Message.Challenge(Scene.SESSION, 7), scene.node(0).address());
        long due = Math.max(now, source.deadline());
        source.onTimer(due);

        assertThat(source.deadline()).isGreaterThan(due);
    }

    /** The accept of a receiver has come as far as its node: it need not come from the source again. */
    @Test
    void anAcceptThatWasLostOnTheLastLinkIsSaidAgainByTheNode() {
        Scene scene = Scene.sites(9, PACKETS, 2);
        Place host = scene.host(0);
        long[] accepted = new long[1];
        scene.topology.down(host).drop(message -> {
            boolean accept = message instanceof Message.Accept;
            accepted[0] = accept && accepted[0] == 0 ? scene.simulation.now() : accepted[0];
            return accept && scene.simulation.now() - accepted[0] < Scene.SECOND;
        });
        scene.topology.up(scene.node(1)).drop(message -> accepted[0] > 0 && message instanceof Message.Join join && join.name().equals(host.name()));
        scene.start();

        assertThat(scene.simulation.runUntil(() -> host.receiver().status().state().compareTo(ReceiverStatus.State.JOINING) > 0, 2 * Scene.SECOND)).isTrue();
        assertThat(scene.simulation.now()).isGreaterThanOrEqualTo(accepted[0] + Scene.SECOND);
        assertThat(scene.runUntilOver(30)).isTrue();
        scene.assertDelivered();
    }

    /** Announcements, joins, questions and ends of sessions that do not exist, from somebody who takes no part. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void floodsOfWhatIsForgedLeaveTheSessionAlone(int node) {
        Scene scene = Scene.sites(7, PACKETS, 2, 2);
        InetSocketAddress stranger = scene.simulation.address("stranger");
        scene.simulation.link(stranger, scene.node(node).address(), Scene.MILLI);
        scene.start();
        scene.runUntilSent(50);
        Flood flood = new Flood(scene, stranger, scene.node(node));
        for (int i = 0; i < 1_500; i++) {
            flood.one(i);
        }

        assertThat(scene.runUntilOver(30)).isTrue();
        scene.assertDelivered();
        scene.simulation.runFor(Scene.SECOND);
        assertThat(scene.node(node).node().sessions()).isLessThanOrEqualTo(256);
        assertThat(scene.count(scene.node(node), Count.REFUSED)).isGreaterThan(1_500);
        scene.simulation.runFor(40 * Scene.SECOND);
        assertThat(scene.node(node).node().sessions()).as("sessions of which nothing more was heard").isZero();
    }
}
