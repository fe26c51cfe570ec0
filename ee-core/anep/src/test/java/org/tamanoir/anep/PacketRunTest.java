package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Runs are what {@link Framing#each} would show, in fewer pieces: the same packets, ended by the same mistake, and only plain ones together. */
class PacketRunTest {
    private static final int[] TYPES = {0x5402, 0x5402, 0x5402, 0x5402, 0x5403, Anep.TYPE_CONTROL, Anep.TYPE_ERROR};

    private record Found(int offset, int length, long time, int codePoint) {
    }

    private static ByteBuf packets(Random random) {
        ByteBuf out = Unpooled.buffer().writeZero(random.nextInt(40));
        int largest = random.nextInt(4) == 0 ? 20_000 : 60;
        for (int i = random.nextInt(600); i > 0; i--) {
            PacketOptions options = random.nextInt(30) == 0 ? new PacketOptions().stream(1, i) : null;
            int flags = random.nextInt(30) == 0 ? Anep.FLAG_DISCARD_UNKNOWN : 0;
            int type = random.nextInt(30) == 0 ? TYPES[random.nextInt(TYPES.length)] : TYPES[0];
            new PacketBuilder(type).flags(flags).options(options).payload(Unpooled.wrappedBuffer(new byte[random.nextInt(largest)])).writeTo(out);
        }
        if (random.nextInt(3) == 0) {
            // A length, a version or a header length that no packet has, or the beginning of a packet.
            long[] bad = {0x0100_5402_0002_0007L, 0x0100_5402_0002_0000L, 0x0200_5402_0002_0020L, 0x0100_5402_0001_0020L, 0x0100_5402_0002_FFFFL};
            out.writeLong(bad[random.nextInt(bad.length)]).writeZero(random.nextInt(40));
        }
        return out.writerIndex(out.writerIndex() - random.nextInt(out.writerIndex() > 8 ? 8 : 1));
    }

    @Property(tries = 500)
    void runsAreThePacketsThatThereAre(@ForAll long seed, @ForAll boolean single) {
        ByteBuf sent = packets(new Random(seed));
        int from = Math.min(40, firstPacket(sent));
        List<Found> expected = new ArrayList<>();
        Packet each = new Packet().receivedNanos(7);
        int[] stood = {from};
        Throwable why = catchThrowable(() -> stood[0] = Framing.each(sent, from, sent.writerIndex(), each, packet -> {
            stood[0] = packet.offset() + packet.length();
            return expected.add(new Found(packet.offset(), packet.length(), packet.receivedNanos(), 5));
        }));

        PacketRun run = new PacketRun();
        List<Found> found = new ArrayList<>();
        int[] at = {from};
        Throwable failure = catchThrowable(() -> {
            for (int octets; (octets = run.find(sent, at[0], sent.writerIndex(), single ? 1 : PacketRun.MOST_PACKETS)) != Framing.INCOMPLETE;) {
                check(sent, run.of(7, 5), at[0], octets);
                for (int i = 0; i < run.count(); i++) {
                    found.add(new Found(run.packet(i).offset(), run.packet(i).length(), run.packet(i).receivedNanos(), run.packet(i).codePoint()));
                }
                assertThat(single && run.count() > 1).isFalse();
                at[0] += octets;
            }
        });
        assertThat(found).isEqualTo(expected);
        assertThat(at[0]).isEqualTo(stood[0]);
        assertThat(failure == null ? null : failure.getMessage()).isEqualTo(why == null ? null : why.getMessage());
    }

    private static void check(ByteBuf sent, PacketRun run, int at, int octets) {
        assertThat(run.length()).isEqualTo(octets);
        assertThat(run.first().offset()).isEqualTo(at);
        Packet alone = run.first();
        if (run.count() == 1) {
            assertThat(run.isUniform()).isEqualTo(!alone.hasOptions() && !alone.isControl() && alone.typeId() != Anep.TYPE_ERROR);
        } else {
            assertThat(run.count()).isLessThanOrEqualTo(PacketRun.MOST_PACKETS);
            assertThat(octets).isLessThanOrEqualTo(PacketRun.MOST_OCTETS);
            long kind = sent.getLong(at) >>> 16;
            assertThat(run.isUniform()).isEqualTo(IntStream.range(0, run.count()).allMatch(i -> run.packet(i).length() == run.first().length()));
            for (int i = 0; i < run.count(); i++) {
                Packet packet = run.packet(i);
                assertThat(sent.getLong(packet.offset()) >>> 16).isEqualTo(kind);
                assertThat(packet.hasOptions() || packet.isControl() || packet.typeId() == Anep.TYPE_ERROR).as("%s among others", packet).isFalse();
            }
        }
    }

    private static int firstPacket(ByteBuf sent) {
        int at = 0;
        while (at < sent.writerIndex() && sent.getByte(at) == 0) {
            at++;
        }
        return at;
    }

    @Test
    void aRunIsAsLongAsItMayBe() {
        ByteBuf small = alike(300, 8);
        PacketRun run = new PacketRun();
        assertThat(run.find(small, 0, small.writerIndex(), PacketRun.MOST_PACKETS)).isEqualTo(PacketRun.MOST_PACKETS * 8);
        assertThat(run.find(small, PacketRun.MOST_PACKETS * 8, small.writerIndex(), PacketRun.MOST_PACKETS)).isEqualTo(44 * 8);
        assertThat(run.find(small, 0, small.writerIndex() - 299 * 8 + 7, 2)).as("the second is not whole").isEqualTo(8);
        ByteBuf large = alike(9, PacketRun.MOST_OCTETS / 4);
        assertThat(run.find(large, 0, large.writerIndex(), PacketRun.MOST_PACKETS)).isEqualTo(PacketRun.MOST_OCTETS);
        assertThat(run.count()).isEqualTo(4);
        ByteBuf largest = alike(2, PacketRun.MOST_OCTETS + 1);
        assertThat(run.find(largest, 0, largest.writerIndex(), PacketRun.MOST_PACKETS)).as("alone it may be longer").isEqualTo(PacketRun.MOST_OCTETS + 1);
    }

    /** Behind the end lie octets of an earlier read, which look like packets. */
    @Test
    void nothingBehindTheEndIsTaken() {
        ByteBuf stale = alike(3, 20);
        PacketRun run = new PacketRun();
        for (int end : new int[] {20, 27, 28, 39}) {
            assertThat(run.find(stale, 0, end, PacketRun.MOST_PACKETS)).as("of %d octets", end).isEqualTo(20);
        }
        assertThat(run.find(stale, 0, 40, PacketRun.MOST_PACKETS)).isEqualTo(40);
    }

    @Test
    void lengthsMayDifferInARun() {
        ByteBuf mixed = alike(2, 20).writeBytes(alike(2, 8)).writeBytes(alike(1, 30));
        PacketRun run = new PacketRun();
        assertThat(run.find(mixed, 0, mixed.writerIndex(), PacketRun.MOST_PACKETS)).isEqualTo(86);
        assertThat(run.count()).isEqualTo(5);
        assertThat(run.isUniform()).isFalse();
        assertThat(run.packet(2).length()).isEqualTo(8);
        assertThat(run.packet(4).offset()).isEqualTo(56);
    }

    private static ByteBuf alike(int count, int length) {
        ByteBuf out = Unpooled.buffer();
        for (int i = 0; i < count; i++) {
            new PacketBuilder(0x5402).payload(Unpooled.wrappedBuffer(new byte[length - Anep.HEADER_SIZE])).writeTo(out);
        }
        return out;
    }
}
