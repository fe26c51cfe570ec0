package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.transport.LegChannel;

/** The clock of a loop: time in which the node ran, and what it costs whom. */
class StreamClockTest {
    private static final int MB = 1 << 20;

    private StreamRig rig = new StreamRig();
    private final List<Long> lags = new ArrayList<>();
    private long now;
    private StreamClock clock = clock();

    private StreamClock clock() {
        return new StreamClock(() -> now, () -> new ArrayList<>(rig.table.all()), rig.idle, rig.memory, lags::add);
    }

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    private void tick(Duration after) {
        now += after.toNanos();
        clock.tick();
        rig.settle();
    }

    @Test
    void aNodeThatSleptCostsNobodyTheTimeOfItsSleep() {
        LegChannel silent = rig.accept();
        for (int i = 0; i < 9; i++) {
            tick(Duration.ofHours(1));
        }
        assertThat(silent.ending()).as("nine ticks are nine seconds at most, of ten").isEqualTo(LegChannel.Ending.OPEN);
        for (int i = 0; i < 3; i++) {
            tick(Duration.ofHours(1));
        }
        assertThat(StreamRig.texts(silent)).containsExactly("EE-207");
    }

    @Test
    void timeThatPassesBetweenTwoTicksCounts() {
        rig.accept();
        for (int i = 0; i < 40; i++) {
            tick(Duration.ofMillis(250));
        }
        assertThat(rig.table.all()).hasSize(1);
        tick(Duration.ofMillis(500));
        tick(Duration.ofMillis(500));
        rig.assertOver(ErrorCode.HEADER_TIMEOUT);
    }

    @Test
    void whatIsLateIsToldToTheNanosecond() {
        tick(Duration.ofMillis(250));
        tick(Duration.ofNanos(StreamClock.TICK_NANOS + 7));
        tick(Duration.ofSeconds(3));
        assertThat(lags).containsExactly(0L, 7L, 3_000_000_000L - StreamClock.TICK_NANOS);
    }

    @Test
    void aStreamWhoseClockFailsEndsAloneAndTheOthersGoOn() {
        LegChannel first = rig.accept();
        LegChannel second = rig.accept();
        Stream broken = rig.table.find(1);
        List<Stream> streams = new ArrayList<>(rig.table.all());
        rig.limits = null;
        clock = new StreamClock(() -> now, () -> List.of(broken), rig.idle, rig.memory, lags::add);
        tick(Duration.ofSeconds(1));
        rig.limits = StreamLimits.defaults();
        assertThat(StreamRig.texts(first)).containsExactly("EE-599");
        assertThat(streams).hasSize(2);
        clock = clock();
        for (int i = 0; i < 12; i++) {
            tick(Duration.ofSeconds(1));
        }
        assertThat(StreamRig.texts(second)).containsExactly("EE-207");
    }

    @Test
    void connectionsThatWaitAreEndedByTheSameClock() {
        LegChannel near = new LegChannel(rig.memory, rig.time);
        rig.nears.add(near);
        rig.idle.add(near.leg(null, null));
        for (int i = 0; i < 60; i++) {
            tick(Duration.ofDays(1));
        }
        assertThat(near.ending()).isEqualTo(LegChannel.Ending.OPEN);
        tick(Duration.ofSeconds(1));
        assertThat(near.ending()).isEqualTo(LegChannel.Ending.FIN);
    }

    /** Where memory is short, the stream that holds most and has not moved for the packet time makes room, and no other. */
    @Test
    void whereMemoryIsShortTheStreamThatHoldsMostAndDoesNotMoveGoes() {
        rig.close();
        rig = new StreamRig(16 * MB);
        clock = clock();
        LegChannel little = stalled(10_000);
        LegChannel much = stalled(60_000);
        LegChannel moves = stalled(60_000);
        LegChannel far = rig.far();
        far.peerTakes(0);
        for (int i = 0; i < 50; i++) {
            far.peerTakes(10);
            tick(Duration.ofMillis(250));
        }
        assertThat(rig.table.all()).as("memory is not short").hasSize(3);
        ByteBuf others = rig.memory.allocator().directBuffer(15 * MB);
        far.peerTakes(10);
        tick(Duration.ofMillis(250));
        assertThat(StreamRig.texts(much)).containsExactly("EE-209");
        assertThat(rig.table.all()).hasSize(2);
        far.peerTakes(10);
        tick(Duration.ofMillis(250));
        assertThat(StreamRig.texts(little)).containsExactly("EE-209");
        for (int i = 0; i < 5; i++) {
            far.peerTakes(10);
            tick(Duration.ofMillis(250));
        }
        assertThat(StreamRig.texts(moves)).as("one that moves").isEmpty();
        others.release();
    }

    /** A stream whose receiver takes nothing of so many octets. */
    private LegChannel stalled(int octets) {
        LegChannel near = rig.opened();
        rig.far().peerTakes(0);
        rig.send(near, "x".repeat(octets));
        return near;
    }
}
