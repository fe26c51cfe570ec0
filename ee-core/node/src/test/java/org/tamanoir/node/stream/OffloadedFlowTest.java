package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.offload.Flow;

/** When the kernel is asked to carry a stream, when it may begin, and that what it carried is counted once. */
class OffloadedFlowTest {
    private final StageRig rig = new StageRig();
    private final Kernel kernel = new Kernel();
    private long now;
    private final OffloadedFlow flow = new OffloadedFlow(kernel, () -> now);
    private final StreamCounters counters = new StreamCounters();

    @AfterEach
    void nothingIsLeft() {
        rig.close();
    }

    /** A kernel that does what the test says. */
    private static final class Kernel implements Flow.Carrier {
        long generation = 1;
        boolean can = true;
        final List<String> asked = new ArrayList<>();
        Carried last;

        @Override
        public long generation() {
            return generation;
        }

        @Override
        public Flow open(InetSocketAddress sender, InetSocketAddress next, InetSocketAddress local, int typeId, Long streamId, InetSocketAddress target) {
            asked.add(Integer.toHexString(typeId) + " " + streamId);
            last = can ? new Carried() : null;
            return last;
        }
    }

    private static final class Carried implements Flow {
        final List<String> told = new ArrayList<>();
        final int[] up = new int[2];
        boolean open = true;
        Counters counters = Counters.NONE;

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public int up(boolean back) {
            return up[back ? 1 : 0];
        }

        @Override
        public void handled(boolean back, int seen) {
            told.add((back ? "back " : "there ") + seen);
        }

        @Override
        public void open() {
            told.add("open");
        }

        @Override
        public Counters counters() {
            return counters;
        }

        @Override
        public void close() {
            told.add("close");
            open = false;
        }
    }

    private void want(PacketOptions options) {
        ByteBuf buffer = rig.buffer(StageRig.TYPE, options, "a");
        Packet packet = Packet.of(buffer);
        packet.checkOptions();
        flow.want(packet);
        buffer.release();
    }

    private void offer() {
        flow.offer(StageRig.SOURCE, StageRig.NEXT, StageRig.SOURCE, null);
    }

    @Test
    void theKernelIsAskedOnceForEachChangeAndNotForPacketsThatItCannotCarry() {
        offer();
        want(new PacketOptions().stream(1, 1).chain(0x5502));
        want(new PacketOptions().stream(1, 1).checksum(true));
        offer();
        assertThat(kernel.asked).isEmpty();
        kernel.can = false;
        want(new PacketOptions().stream(7, 1));
        offer();
        want(new PacketOptions().stream(7, 2));
        offer();
        assertThat(kernel.asked).containsExactly("5501 7");
        assertThat(flow.isOpen()).isFalse();
        kernel.can = true;
        kernel.generation++;
        want(null);
        offer();
        assertThat(kernel.asked).containsExactly("5501 7", "5501 null");
        assertThat(flow.isOpen()).isTrue();
    }

    @Test
    void aDirectionIsHandedOverWhenTheSocketIsEmptyWithWhatHadComeUpBefore() {
        flow.cameUp(false);
        flow.turnOver(false, true);
        want(null);
        offer();
        kernel.last.up[0] = 3;
        flow.cameUp(false);
        kernel.last.up[0] = 5;
        flow.turnOver(false, false);
        assertThat(kernel.last.told).as("there is more to read").isEmpty();
        flow.turnOver(false, true);
        kernel.last.up[1] = 9;
        flow.cameUp(true);
        flow.turnOver(true, true);
        assertThat(kernel.last.told).containsExactly("there 3", "back 9");
        flow.close();
        assertThat(kernel.last.told).endsWith("close");
        assertThat(flow.isOpen()).isFalse();
    }

    @Test
    void aStreamThatNeverPausesIsHandedOverAfterASecondAndOneWhoseLoopStoodStillIsNot() {
        want(null);
        offer();
        flow.cameUp(false);
        now += 1_500_000_000;
        flow.turnOver(false, false);
        flow.cameUp(false);
        flow.turnOver(false, true);
        assertThat(kernel.last.told).as("it pauses, as soon as the loop runs").containsExactly("there 0");
        for (int turn = 0; turn < 100; turn++) {
            flow.turnOver(false, false);
        }
        assertThat(kernel.last.told).last().isEqualTo("open");
    }

    @Test
    void whatTheKernelCarriedIsCountedOnceAlsoWhenAnotherFlowTakesThePlaceOfOne() {
        assertThat(flow.account(counters)).isZero();
        assertThat(flow.lastMoved()).isEqualTo(Long.MIN_VALUE);
        want(null);
        offer();
        kernel.last.counters = new Flow.Counters(10, 1000, 2, 200, 50);
        assertThat(flow.account(counters)).as("answers").isEqualTo(2);
        assertThat(flow.account(counters)).isZero();
        kernel.generation++;
        want(null);
        offer();
        kernel.last.counters = new Flow.Counters(1, 100, 1, 10, 70);
        assertThat(flow.account(counters)).isEqualTo(1);
        assertThat(flow.packets()).isEqualTo(11);
        assertThat(flow.octets()).isEqualTo(1100);
        assertThat(flow.backPackets()).isEqualTo(3);
        assertThat(flow.backOctets()).isEqualTo(210);
        assertThat(flow.lastMoved()).isEqualTo(70);
        assertThat(counters.packetsIn().sum()).isEqualTo(11);
        assertThat(counters.bytesIn().sum()).isEqualTo(1100);
        assertThat(counters.bytesOut().sum()).isEqualTo(1100);
        assertThat(counters.packetsBack().sum()).isEqualTo(3);
        assertThat(counters.bytesReturned().sum()).isEqualTo(210);
    }
}
