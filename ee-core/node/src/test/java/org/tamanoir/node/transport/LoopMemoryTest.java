package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.node.stream.StreamLimits;

/** The account of an event loop: what is retained stays below its limit, whoever wants more, and leaves room for who moves. */
class LoopMemoryTest {
    private static final long MB = 1 << 20;
    private static final int LOOPS = 2;

    private final List<ByteBuf> held = new ArrayList<>();

    /** A step that takes what comes and keeps nothing. */
    private static final class Taken extends Stage {
        private long octets;

        Taken() {
            super(null);
        }

        @Override
        public void packet(Packet packet) {
            octets += packet.length();
        }

        @Override
        public void flush() {
            // Nothing is gathered.
        }
    }

    @Property(tries = 30)
    void whateverStalledReceiversKeepLeavesRoomForOneThatMoves(@ForAll long seed) {
        Random random = new Random(seed);
        long limit = (16 + random.nextInt(500)) * MB;
        LoopMemory memory = new LoopMemory(() -> limit);
        int stalled = (int) Math.min(2048, limit / (64 << 10));
        for (int i = 0; i < stalled; i++) {
            int room = memory.room();
            assertThat(room).as("room with %d stalled", i).isGreaterThanOrEqualTo(LoopMemory.LEAST);
            held.add(memory.allocator().directBuffer(room));
            memory.keeps(true);
        }
        assertThat(memory.retained()).isLessThan(limit);
        assertThat(memory.isShort()).isFalse();
        held.forEach(ByteBuf::release);
        held.clear();
        assertThat(memory.retained()).isZero();
    }

    /** Each connection has once read a lot, and then one octet of a packet that never gets whole. */
    @Test
    void connectionsWithThePartOfAPacketKeepThatPartAlone() {
        LoopMemory memory = new LoopMemory(() -> 128 * MB);
        Taken sink = new Taken();
        List<PacketReader> readers = new ArrayList<>();
        ByteBuf packets = Unpooled.buffer();
        for (int i = 0; i < 100; i++) {
            new PacketBuilder(0x5402).payload(Unpooled.wrappedBuffer(new byte[1400])).writeTo(packets);
        }
        packets.writeByte(1);
        for (int i = 0; i < 2100; i++) {
            PacketReader reader = new PacketReader(sink, memory, use -> { });
            reader.flowTo(sink);
            read(reader, packets.duplicate());
            readers.add(reader);
        }
        assertThat(sink.octets).isEqualTo(2100L * 100 * 1408);
        assertThat(memory.retained()).as("octets retained for 2,100 partial packets").isLessThan(128 * MB / 4 + MB);
        for (int round = 0; round < 3; round++) {
            readers.forEach(reader -> read(reader, Unpooled.wrappedBuffer(new byte[1])));
        }
        assertThat(memory.retained()).as("a quarter second later").isLessThan(128 * MB / 4 + MB);
        readers.forEach(PacketReader::moveOut);
        assertThat(memory.retained()).as("when they have been quiet").isLessThan(MB);
        readers.forEach(PacketReader::release);
        assertThat(memory.retained()).isZero();
        memory.close();
    }

    /** Services that keep packets of many reads keep their buffers: then there is none to read into, and nothing is read. */
    @Test
    void whereNothingIsLeftNothingIsRead() {
        LoopMemory memory = new LoopMemory(() -> 16 * MB);
        RunStage keeper = new RunStage(null) {
            @Override
            protected void run(ByteBuf packets, long nanos, int codePoint) {
                held.add(packets);
            }
        };
        ByteBuf packet = new PacketBuilder(0x5402).payload(Unpooled.wrappedBuffer(new byte[1000])).build(Unpooled.buffer().alloc());
        List<PacketReader> readers = new ArrayList<>();
        boolean refused = false;
        for (int i = 0; i < 1000 && !refused; i++) {
            PacketReader reader = new PacketReader(keeper, memory, use -> { });
            reader.flowTo(keeper);
            readers.add(reader);
            refused = !read(reader, packet.duplicate());
            assertThat(memory.retained()).isLessThanOrEqualTo(16 * MB);
        }
        assertThat(refused).as("a read without room for it").isTrue();
        assertThat(memory.isShort()).isTrue();
        held.forEach(ByteBuf::release);
        readers.forEach(PacketReader::release);
        memory.tidy();
        assertThat(memory.isShort()).isFalse();
        memory.close();
    }

    @Test
    void aBufferThatComesBackIsTakenAgainOnceNobodyHoldsAPartOfIt() {
        LoopMemory memory = new LoopMemory(() -> 128 * MB);
        ByteBuf first = memory.take();
        ByteBuf part = first.writeZero(10).retainedSlice(0, 10);
        memory.give(first);
        assertThat(memory.retained()).isEqualTo(LoopMemory.BUFFER);
        ByteBuf second = memory.take();
        assertThat(second).isNotSameAs(first);
        memory.give(second);
        part.release();
        memory.tidy();
        assertThat(memory.retained()).isZero();
        assertThat(List.of(memory.take(), memory.take())).as("both, empty").containsExactlyInAnyOrder(first, second)
                .allMatch(buffer -> buffer.readableBytes() == 0 && buffer.writableBytes() == LoopMemory.BUFFER);
        memory.give(first);
        memory.give(second);
        memory.close();
        assertThat(first.refCnt() + second.refCnt()).isZero();
    }

    @Test
    void noMoreFreeBuffersAreKeptThanAreSparedHoweverOftenManyAreTaken() {
        LoopMemory memory = new LoopMemory(() -> 64 * MB);
        List<ByteBuf> taken = new ArrayList<>();
        for (int round = 0; round < 10; round++) {
            taken.clear();
            for (int i = 0; i < LoopMemory.SPARE + 5; i++) {
                taken.add(memory.take());
            }
            assertThat(taken).as("round %d", round).allMatch(buffer -> buffer.capacity() == LoopMemory.BUFFER);
            taken.forEach(memory::give);
        }
        assertThat(taken.stream().filter(buffer -> buffer.refCnt() > 0)).hasSize(LoopMemory.SPARE);
        assertThat(memory.retained()).isZero();
        memory.close();
    }

    /** With 16 MB four receive buffers may hold less than they could. */
    @Test
    void whoHasHeldAReceiveBufferLongestIsMovedOutFirstAndThenBuffersAreSmall() {
        LoopMemory memory = new LoopMemory(() -> 16 * MB);
        List<String> moved = new ArrayList<>();
        List<ByteBuf> taken = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ByteBuf buffer = memory.take();
            taken.add(buffer);
            String name = "reader " + i;
            memory.leaves(() -> {
                moved.add(name);
                memory.give(buffer);
            }, true);
        }
        LoopMemory.InPlace moves = () -> moved.add("nobody");
        memory.leaves(moves, true);
        memory.leaves(moves, false);
        for (int i = 0; i < 4; i++) {
            assertThat(memory.take()).isSameAs(taken.get(i));
        }
        assertThat(moved).containsExactly("reader 0", "reader 1", "reader 2", "reader 3");
        ByteBuf small = memory.take();
        assertThat(small.capacity()).as("room for a packet behind the tail of another").isBetween(2 * 65_535, LoopMemory.BUFFER / 2);
        memory.give(small);
        assertThat(small.refCnt()).as("only large ones are kept").isZero();
        taken.forEach(memory::give);
        memory.close();
    }

    @Test
    void roomEndsBeforeTheLimitAndTheLimitIsAskedForAnew() {
        long[] limit = {64 * MB};
        LoopMemory memory = new LoopMemory(() -> limit[0]);
        long left = limit[0] - LoopMemory.BUFFER;
        assertThat(memory.has(left)).isTrue();
        assertThat(memory.has(left + 1)).isFalse();
        int alone = memory.room();
        memory.keeps(true);
        assertThat(memory.room()).as("beside one that keeps something").isLessThan(alone);
        memory.keeps(false);
        assertThat(memory.room()).isEqualTo(alone);
        limit[0] = LoopMemory.BUFFER + 16 * LoopMemory.LEAST - 1;
        assertThat(memory.room()).as("less than a system call is worth").isZero();
        limit[0] = 64 * MB;
        ByteBuf much = memory.allocator().directBuffer((int) (left - MB));
        assertThat(memory.room()).as("a part of what is left").isEqualTo((int) MB / 16);
        much.release();
        ByteBuf most = memory.allocator().directBuffer((int) (left - LoopMemory.shortage(limit[0])));
        assertThat(memory.isShort()).isFalse();
        ByteBuf more = memory.allocator().directBuffer(1);
        assertThat(memory.isShort()).isTrue();
        most.release();
        more.release();
    }

    /** One turn of reading; false if there was no room. */
    private static boolean read(PacketReader reader, ByteBuf octets) {
        while (octets.isReadable()) {
            ByteBuf room = reader.nextRead(LoopMemory.BUFFER);
            if (room == null) {
                return false;
            }
            room.writeBytes(octets, Math.min(octets.readableBytes(), room.writableBytes()));
            reader.read(room);
        }
        reader.readComplete();
        return true;
    }

    /** Regenerate it with {@code -Dwrite.docs=true}. */
    @Test
    void theTableOfTheDocsIsWhatTheCodeDoes() throws IOException {
        Path page = Path.of("..", "..", "docs", "performance.md");
        String begin = "<!-- memory table: begin -->\n";
        String end = "<!-- memory table: end -->";
        String text = Files.readString(page);
        int from = text.indexOf(begin) + begin.length();
        int to = text.indexOf(end);
        String table = table();
        if (Boolean.getBoolean("write.docs")) {
            Files.writeString(page, text.substring(0, from) + table + text.substring(to));
        } else {
            assertThat(text.substring(from, to)).isEqualTo(table);
        }
    }

    private static String table() {
        long all = StreamLimits.defaults().memory();
        long loop = all / LOOPS;
        return "| What | With `limits: memory` of " + mb(all) + " and " + LOOPS + " event loops |\n|---|---|\n"
                + row("All that streams retain", mb(all))
                + row("… on one loop", mb(loop))
                + row("Receive buffers (" + kb(LoopMemory.BUFFER) + ") that hold less than they could, on one loop", mb(LoopMemory.mostLent(loop)))
                + row("Free receive buffers that a loop keeps besides", mb(LoopMemory.SPARE * (long) LoopMemory.BUFFER))
                + row("Where the datagrams of one call come, on one loop besides; only pages that were ever filled are in memory",
                        mb(LoopMemory.DATAGRAMS))
                + row("What a direction may read ahead of its receiver: nobody else keeps anything", kb(LoopMemory.share(loop, 0)))
                + row("… 100 directions of the loop keep something", kb(LoopMemory.share(loop, 100)))
                + row("… 2,000 do", kb(LoopMemory.share(loop, 2000)))
                + row("A packet that is coming in, at most", "64 KB")
                + row("Under way to a heavy service, and made by it, for each direction", "1 MB each, or twice what a direction may read if that is less")
                + row("Datagrams that wait for one socket", kb(UdpSockets.PENDING))
                + row("Short of memory: left on a loop", mb(LoopMemory.shortage(loop)));
    }

    private static String row(String what, String bound) {
        return "| " + what + " | " + bound + " |\n";
    }

    private static String mb(long octets) {
        return octets / MB + " MB";
    }

    private static String kb(long octets) {
        return octets / 1024 + " KB";
    }
}
