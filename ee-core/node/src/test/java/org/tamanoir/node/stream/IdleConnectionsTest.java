package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.transport.LegChannel;
import org.tamanoir.node.transport.LegChannel.Ending;

/** Connections between two streams: what opens the next, and what ends them. */
class IdleConnectionsTest {
    private final StreamRig rig = new StreamRig();

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    /** A connection whose stream is over. */
    private LegChannel waits() {
        LegChannel near = new LegChannel(rig.memory, rig.time);
        rig.nears.add(near);
        rig.idle.add(near.leg(null, null));
        return near;
    }

    @Test
    void theNextPacketOpensAStream() {
        LegChannel near = waits();
        assertThat(rig.idle.open()).isEqualTo(1);
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "first"), StreamRig.packet(null, "second"));
        assertThat(StreamRig.texts(rig.far())).containsExactly("first", "second");
        assertThat(rig.idle.open()).isZero();
        assertThat(rig.counters.reused().sum()).isEqualTo(1);
        rig.tick(Duration.ofMinutes(2));
        assertThat(rig.only().state()).isEqualTo("flowing");
    }

    @Test
    void aConnectionWaitsForAMinuteAndIsThenEnded() {
        LegChannel early = waits();
        rig.tick(Duration.ofSeconds(30));
        LegChannel late = waits();
        rig.tick(Duration.ofSeconds(30));
        assertThat(early.ending()).isEqualTo(Ending.OPEN);
        rig.tick(Duration.ofSeconds(1));
        assertThat(early.ending()).isEqualTo(Ending.FIN);
        assertThat(late.ending()).isEqualTo(Ending.OPEN);
        assertThat(rig.idle.open()).as("one waits, one is being ended").isEqualTo(2);
        early.passes(3000);
        rig.tick(Duration.ofSeconds(1));
        assertThat(rig.idle.open()).isEqualTo(1);
    }

    @Test
    void whereTooManyWaitTheOneThatHasWaitedLongestIsEnded() {
        List<LegChannel> all = new ArrayList<>();
        for (int i = 0; i < 1024; i++) {
            all.add(waits());
        }
        assertThat(all).allSatisfy(each -> assertThat(each.ending()).isEqualTo(Ending.OPEN));
        waits();
        waits();
        assertThat(all.get(0).ending()).isEqualTo(Ending.FIN);
        assertThat(all.get(1).ending()).isEqualTo(Ending.FIN);
        assertThat(all.subList(2, 1024)).allSatisfy(each -> assertThat(each.ending()).isEqualTo(Ending.OPEN));
        assertThat(rig.idle.open()).isEqualTo(1026);
        all.get(0).passes(3000);
        rig.settle();
        rig.tick(Duration.ofSeconds(1));
        assertThat(rig.idle.open()).isEqualTo(1024);
    }

    @Test
    void aNodeThatStopsEndsThoseThatWaitAndThoseThatComeToWait() {
        LegChannel before = waits();
        rig.idle.stop();
        LegChannel after = waits();
        assertThat(before.ending()).isEqualTo(Ending.FIN);
        assertThat(after.ending()).isEqualTo(Ending.FIN);
        rig.send(before, StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "too late"));
        assertThat(rig.table.all()).isEmpty();
        assertThat(rig.connects).isZero();
    }

    @Test
    void aPeerThatEndsOrResetsBetweenTwoStreamsIsNoError() {
        LegChannel ends = waits();
        LegChannel resets = waits();
        LegChannel babbles = waits();
        rig.ends(ends);
        resets.peerResets();
        babbles.peerSends(9, 9, 9, 9);
        rig.settle();
        assertThat(rig.idle.open()).isZero();
        assertThat(ends.ending()).isEqualTo(Ending.FIN);
        assertThat(resets.isOpen()).isFalse();
        assertThat(babbles.ending()).as("what is no packet").isEqualTo(Ending.RESET);
        assertThat(rig.counters.errorCounts()).isEmpty();
    }

    @Test
    void aPeerThatMayOpenNoMoreIsToldSoOnTheConnectionThatItKept() {
        LegChannel near = waits();
        rig.limits = new StreamLimits(100, 0, Duration.ofSeconds(10), Duration.ofMinutes(10), Duration.ofSeconds(30), Duration.ofSeconds(5), 4, 64 << 20, 16);
        rig.send(near, StreamRig.packet(StreamRig.to(StreamRig.BEHIND), "first"));
        assertThat(StreamRig.texts(near)).containsExactly("EE-206");
        assertThat(near.ending()).isEqualTo(Ending.FIN);
        assertThat(rig.counters.errors().get(ErrorCode.TOO_MANY_STREAMS_OF_SOURCE).sum()).isEqualTo(1);
        assertThat(rig.counters.reused().sum()).isZero();
        assertThat(rig.table.all()).isEmpty();
        assertThat(rig.idle.open()).isZero();
    }
}
