package org.tamanoir.node.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketRun;

/** Whatever the reads are cut into, and however long others hold on to what they got: every octet comes out once and in order. */
class PacketReaderTest {
    private static final int OPENING_ROOM = 16 * 1024;

    @Property(tries = 150)
    void everyPacketComesOutWholeAndInOrder(@ForAll long seed, @ForAll boolean smallPackets) {
        Random random = new Random(seed);
        ByteBuf sent = packets(random, 1 << 20, smallPackets ? 600 : Anep.MAX_PAYLOAD);
        Holder holder = new Holder(random, sent.duplicate());
        LoopMemory memory = new LoopMemory(() -> 1L << 30);
        PacketReader reader = new PacketReader(holder, memory, use -> { });
        if (random.nextInt(4) > 0) {
            reader.flowTo(holder);
        }
        while (sent.isReadable()) {
            ByteBuf room = reader.nextRead(LoopMemory.BUFFER);
            int most = random.nextInt(3) == 0 ? random.nextInt(20) + 1 : room.writableBytes();
            int length = Math.min(Math.min(most, room.writableBytes()), sent.readableBytes());
            assertThat(length).as("room to read to").isPositive();
            room.writeBytes(sent, length);
            reader.read(room);
            switch (random.nextInt(6)) {
                case 0 -> reader.readComplete();
                case 1 -> reader.moveOut();
                case 2 -> {
                    reader.stop();
                    reader.proceed();
                }
                case 3 -> reader.flowTo(holder);
                default -> { }
            }
        }
        reader.readComplete();
        assertThat(reader.unparsed()).isZero();
        assertThat(reader.received()).isEqualTo(sent.writerIndex());
        assertThat(reader.packets()).isEqualTo(count(sent));
        holder.releaseAll();
        assertThat(holder.checked).isEqualTo(sent.writerIndex());
        reader.release();
        sent.release();
        memory.tidy();
        assertThat(memory.retained()).as("octets that nobody needs").isZero();
        memory.close();
    }

    @Property(tries = 100)
    void rawOctetsBecomePacketsWithTheSameOctets(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] content = new byte[300_000];
        random.nextBytes(content);
        ByteBuf got = Unpooled.buffer(content.length);
        Stage sink = new Stage(null) {
            @Override
            public void packet(Packet packet) {
                assertThat(packet.typeId()).isEqualTo(0x5403);
                got.writeBytes(packet.payload());
            }

            @Override
            public void flush() {
                // The octets are taken as they come.
            }
        };
        LoopMemory memory = new LoopMemory(() -> 1L << 30);
        PacketReader reader = new PacketReader(sink, memory, use -> { });
        reader.wrapRaw(0x5403);
        reader.flowTo(sink);
        for (int at = 0; at < content.length;) {
            ByteBuf room = reader.nextRead(LoopMemory.BUFFER);
            assertThat(room.writableBytes()).isBetween(1, Anep.MAX_PAYLOAD);
            int length = Math.min(random.nextInt(3) == 0 ? 1 + random.nextInt(50) : room.writableBytes(), content.length - at);
            length = Math.min(length, room.writableBytes());
            room.writeBytes(content, at, length);
            at += length;
            reader.read(room);
            if (random.nextInt(3) == 0) {
                reader.readComplete();
            }
        }
        assertThat(got).isEqualTo(Unpooled.wrappedBuffer(content));
        reader.release();
        memory.close();
    }

    /** Small memory, much of it taken: what is read fits the room that there was, and a packet that has begun may become whole. */
    @Property(tries = 100)
    void noMoreIsReadThanThereIsRoomFor(@ForAll long seed, @ForAll boolean opening) {
        Random random = new Random(seed);
        LoopMemory memory = new LoopMemory(() -> 24L << 20);
        ByteBuf taken = memory.allocator().directBuffer(random.nextInt(21 << 20));
        Holder holder = new Holder(random, packets(random, 200_000, Anep.MAX_PAYLOAD));
        PacketReader reader = new PacketReader(holder, memory, use -> { });
        if (!opening) {
            reader.flowTo(holder);
        }
        ByteBuf sent = holder.expected.duplicate();
        while (sent.isReadable()) {
            int most = Math.max(opening ? Math.min(OPENING_ROOM, memory.room()) : memory.room(), missing(holder.expected, sent.readerIndex()));
            ByteBuf room = reader.nextRead(LoopMemory.BUFFER);
            assertThat(room.writableBytes()).isBetween(1, most);
            room.writeBytes(sent, Math.min(room.writableBytes(), sent.readableBytes()));
            reader.read(room);
            reader.readComplete();
            holder.releaseAll();
        }
        assertThat(holder.checked).isEqualTo(holder.expected.writerIndex());
        reader.release();
        taken.release();
        holder.expected.release();
        memory.tidy();
        assertThat(memory.retained()).isZero();
        memory.close();
    }

    private static int count(ByteBuf packets) {
        int count = 0;
        for (int at = 0; at < packets.writerIndex(); at += packets.getUnsignedShort(at + 6)) {
            count++;
        }
        return count;
    }

    /** Octets until the packet is whole that has begun before {@code at}; 0 if its header has not come. */
    private static int missing(ByteBuf packets, int at) {
        int from = 0;
        while (from < at && at - from >= Anep.HEADER_SIZE) {
            int end = from + packets.getUnsignedShort(from + 6);
            if (end > at) {
                return end - at;
            }
            from = end;
        }
        return 0;
    }

    @Test
    void aPacketThatHasBegunBecomesWholeInOneReadIfThereIsMemoryAtAll() {
        try (Read read = new Read()) {
            ByteBuf most = read.memory.allocator().directBuffer((62 << 20) + (900 << 10));
            assertThat(read.memory.room()).as("for whatever begins").isLessThan(10_000);
            ByteBuf packet = LegLog.packet(0x5401, 60_000);
            read.octets(packet.readRetainedSlice(100));
            assertThat(read.room()).isEqualTo(packet.readableBytes());
            read.octets(packet);
            assertThat(read.log.lines()).containsExactly("5401:60000 octets");
            most.release();
        }
    }

    @Test
    void whatIsSaidOfTheConnectionIsNoPacketOfTheStream() {
        try (Read read = new Read()) {
            read.octets(LegLog.packet(0x5401, 1), control(ConnectionUse.ACCEPT), LegLog.packet(0x5401, 2), control(ConnectionUse.END));
            assertThat(read.log.lines()).containsExactly("5401:1 octets", "ACCEPT", "5401:2 octets", "END");
            assertThat(read.reader.packets()).isEqualTo(2);
            read.reader.end();
            read.octets(control(ConnectionUse.READY));
            assertThat(read.log.lines()).endsWith("READY");
            assertThatThrownBy(() -> read.octets(LegLog.packet(0x5401, 3))).isInstanceOf(MalformedPacketException.class);
            assertThat(read.log.lines()).hasSize(5);
        }
    }

    @Test
    void plainPacketsComeTogetherToWhoTakesThem() {
        List<Integer> counts = new ArrayList<>();
        try (Read read = new Read()) {
            Stage sink = new Stage(null) {
                @Override
                public void packet(Packet packet) {
                    counts.add(1);
                }

                @Override
                public void packets(PacketRun run) {
                    counts.add(run.count());
                }

                @Override
                public boolean takesRuns() {
                    // Not the fifth and what comes behind it.
                    return counts.stream().mapToInt(Integer::intValue).sum() < 4;
                }

                @Override
                public void flush() {
                    counts.add(0);
                }
            };
            read.reader.reopen(sink);
            read.octets(LegLog.packet(0x5401, 1), LegLog.packet(0x5401, 1));
            read.reader.flowTo(sink);
            read.octets(LegLog.packet(0x5401, 1), LegLog.packet(0x5401, 1), LegLog.packet(0x5401, 9));
            read.octets(LegLog.packet(0x5401, 1), LegLog.packet(0x5401, 1));
            assertThat(counts).as("while the stream is opened, then at once, then one by one").containsExactly(1, 1, 0, 0, 3, 0, 0, 1, 1, 0, 0);
            assertThat(read.reader.packets()).isEqualTo(7);
        }
    }

    @Test
    void anotherStreamCountsAnewAndIsOpenedBeforeMuchIsRead() {
        try (Read read = new Read()) {
            read.reader.flowTo(read.log);
            assertThat(read.room()).isGreaterThan(OPENING_ROOM);
            read.octets(LegLog.packet(0x5401, 1));
            read.reader.end();
            LegLog next = new LegLog();
            read.reader.reopen(next);
            assertThat(read.reader.received() + read.reader.packets()).isZero();
            assertThat(read.room()).isEqualTo(OPENING_ROOM);
            read.octets(LegLog.packet(0x5402, 5));
            assertThat(next.lines()).containsExactly("5402:5 octets");
            assertThat(read.reader.received()).isEqualTo(13);
        }
    }

    @Test
    void whatIsThrownAwayCostsNoAccount() {
        try (Read read = new Read()) {
            read.octets(LegLog.packet(0x5401, 100).slice(0, 50));
            read.reader.discard();
            for (int i = 0; i < 100; i++) {
                read.octets(LegLog.packet(0x5401, 60_000));
            }
            assertThat(read.log.lines()).isEmpty();
            assertThat(read.memory.retained()).isLessThanOrEqualTo(50);
        }
    }

    private static ByteBuf control(ConnectionUse use) {
        return PacketBuilder.control(UnpooledByteBufAllocator.DEFAULT, use);
    }

    /** A reader that logs what it reads. */
    private static final class Read implements AutoCloseable {
        private final LoopMemory memory = new LoopMemory(() -> 64L << 20);
        private final LegLog log = new LegLog();
        private final PacketReader reader = new PacketReader(log, memory, use -> log.lines().add(use.name()));

        /** One turn of reading. */
        void octets(ByteBuf... all) {
            ByteBuf octets = Unpooled.wrappedBuffer(all);
            while (octets.isReadable()) {
                ByteBuf room = reader.nextRead(LoopMemory.BUFFER);
                room.writeBytes(octets, Math.min(room.writableBytes(), octets.readableBytes()));
                reader.read(room);
            }
            octets.release();
            reader.readComplete();
        }

        int room() {
            ByteBuf room = reader.nextRead(LoopMemory.BUFFER);
            int octets = room.writableBytes();
            room.release();
            reader.readComplete();
            return octets;
        }

        @Override
        public void close() {
            reader.release();
            memory.tidy();
            assertThat(memory.retained()).isZero();
            memory.close();
        }
    }

    private static ByteBuf packets(Random random, int octets, int largest) {
        ByteBuf out = PooledByteBufAllocator.DEFAULT.heapBuffer(octets);
        int typeId = 0x5401;
        while (out.readableBytes() < octets) {
            byte[] payload = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(largest + 1)];
            random.nextBytes(payload);
            // Control packets (0x5400) are no part of a stream, and runs are of one type.
            typeId = random.nextInt(5) == 0 ? 0x5401 + random.nextInt(0x1000) : typeId;
            new PacketBuilder(typeId).payload(Unpooled.wrappedBuffer(payload)).writeTo(out);
        }
        return out;
    }

    /** Keeps what it gets for a while, as a slow peer does, and compares it when it lets go. */
    private static final class Holder extends RunStage {
        private final Random random;
        private final ArrayDeque<ByteBuf> held = new ArrayDeque<>();
        private final ByteBuf expected;
        private int checked;

        Holder(Random random, ByteBuf expected) {
            super(null);
            this.random = random;
            this.expected = expected;
        }

        @Override
        protected void run(ByteBuf packets, long nanos, int codePoint) {
            held.add(packets);
            while (held.size() > random.nextInt(20)) {
                check(held.poll());
            }
        }

        private void check(ByteBuf piece) {
            assertThat(piece.equals(expected.slice(checked, piece.readableBytes()))).as("octets from %d on", checked).isTrue();
            checked += piece.readableBytes();
            piece.release();
        }

        void releaseAll() {
            held.forEach(this::check);
            held.clear();
        }
    }
}
