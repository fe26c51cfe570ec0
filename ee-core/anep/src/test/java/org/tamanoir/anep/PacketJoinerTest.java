package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.anep.fuzz.Vectors;
import org.tamanoir.anep.fuzz.Vectors.Vector;

class PacketJoinerTest {
    private static final int TYPE = 0x5410;
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    // Without Netty's records of leaks: each test counts what it holds.
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);

    @AfterEach
    void nothingIsHeld() {
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    private static Packet packet(PacketOptions options, byte[] payload) {
        Packet packet = Packet.of(new PacketBuilder(TYPE).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options).payload(Unpooled.wrappedBuffer(payload))
                .build(new UnpooledByteBufAllocator(false, true)));
        packet.checkOptions();
        return packet;
    }

    private static PacketOptions numbered(int sequence) {
        return new PacketOptions().stream(42, sequence).hops(15);
    }

    private Packet joined(List<Packet> packets) {
        PacketJoiner joiner = new PacketJoiner(Anep.MAX_PACKET);
        for (Packet packet : packets) {
            assertThat(joiner.fits(packet)).isTrue();
            joiner.add(packet, allocator);
        }
        ByteBuf octets = joiner.take();
        Packet joined = Packet.of(Unpooled.copiedBuffer(octets));
        octets.release();
        joined.checkOptions();
        return joined;
    }

    private List<String> split(Packet joined) {
        ByteBuf octets = new PacketSplitter().split(joined, allocator);
        List<String> packets = new ArrayList<>();
        int end = Framing.each(octets, octets.readerIndex(), octets.writerIndex(), new Packet(), packet -> packets.add(hex(packet)));
        assertThat(end).isEqualTo(octets.writerIndex());
        octets.release();
        return packets;
    }

    private static String hex(Packet packet) {
        return ByteBufUtil.hexDump(packet.buffer(), packet.offset(), packet.length());
    }

    @Test
    void theOctetsAreThoseOfTheVector() {
        Vector vector = Vectors.good().stream().filter(each -> each.lines().stream().anyMatch(line -> line.startsWith("joined "))).findFirst().orElseThrow();
        List<Packet> packets = List.of(packet(numbered(7), new byte[] {'a'}), packet(numbered(8), new byte[] {'b', 'c'}));
        Packet joined = joined(packets);
        joined.setHops(14);
        assertThat(hex(joined)).isEqualTo(ByteBufUtil.hexDump(vector.octets()));
        packets.forEach(packet -> packet.setHops(14));
        assertThat(split(joined)).containsExactlyElementsOf(packets.stream().map(PacketJoinerTest::hex).toList());
    }

    /** Whatever the options: what comes out is what would have come had each packet gone by the same nodes alone. */
    @Test
    @Tag("seeded")
    void packetsComeOutAsIfEachHadComeAlone() {
        long seed = System.nanoTime();
        System.out.println("PacketJoinerTest: seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            boolean same = random.nextBoolean();
            boolean named = random.nextBoolean();
            boolean summed = random.nextBoolean();
            PacketOptions common = options(random);
            List<Packet> packets = IntStream.range(0, 1 + random.nextInt(12)).mapToObj(i -> {
                PacketOptions options = (same ? common.copy() : options(random)).stream(7, random.nextLong()).hops(9).checksum(summed || random.nextInt(4) == 0);
                options.source(named ? Identifier.of(HERE) : null).previousNode(new PreviousNode(1, 2));
                byte[] payload = new byte[random.nextInt(100)];
                random.nextBytes(payload);
                return packet(options, payload);
            }).toList();
            Packet joined = joined(packets);
            // Two nodes on the way, which write over what stands there.
            for (Packet each : Stream.concat(Stream.of(joined), packets.stream()).toList()) {
                each.setHops(7);
                each.setPreviousNode(0x123456789L + round, 3324);
            }
            joined.checkOptions();
            assertThat(packets.size() == 1 ? List.of(hex(joined)) : split(joined)).isEqualTo(packets.stream().map(PacketJoinerTest::hex).toList());
        }
    }

    private static PacketOptions options(Random random) {
        PacketOptions options = new PacketOptions();
        if (random.nextBoolean()) {
            options.destination(Identifier.of(HERE)).delivery(7000, Delivery.RAW);
        }
        if (random.nextBoolean()) {
            options.chain(0x5402, 0x5403).qosSession(random.nextLong());
        }
        if (random.nextBoolean()) {
            options.timestamp(random.nextLong());
        }
        if (random.nextInt(4) == 0) {
            options.addUnknown(new PacketOptions.Unknown(0x8300, new byte[] {1, 2, 3, 4}));
        }
        return options;
    }

    /** A node writes over the source whom it does not believe, and names another kind of address. */
    @Test
    void aSourceThatHasBecomeLongerIsThatOfEachPacket() {
        Identifier there = new Identifier(Identifier.IPV6, new byte[16]);
        List<Packet> packets = IntStream.range(0, 5).mapToObj(i -> packet(numbered(i).source(Identifier.of(HERE)).checksum(i == 3), new byte[i])).toList();
        Packet joined = joined(packets);
        Packet onward = packet(joined.options().source(there).hops(14), ByteBufUtil.getBytes(joined.payload()));
        assertThat(split(onward)).containsExactlyElementsOf(packets.stream()
                .map(each -> hex(packet(each.options().source(there).hops(14), ByteBufUtil.getBytes(each.payload())))).toList());
    }

    @Test
    void whatDoesNotBelongTogetherDoesNotFit() {
        PacketJoiner joiner = new PacketJoiner(200);
        Packet first = packet(numbered(1), new byte[20]);
        assertThat(joiner.fits(packet(numbered(1), new byte[121]))).as("44 octets of header, 36 of its own").isFalse();
        assertThat(joiner.fits(packet(numbered(1).contentEncoding(ContentEncoding.GZIP, 40), new byte[20]))).isFalse();
        joiner.add(first, allocator);
        assertThat(joiner.room()).isEqualTo(100);
        assertThat(joiner.fits(packet(numbered(2), new byte[64]))).isTrue();
        assertThat(joiner.fits(packet(numbered(2), new byte[65]))).as("no room").isFalse();
        assertThat(joiner.fits(packet(numbered(2).hops(14), new byte[20]))).as("other hops").isFalse();
        assertThat(joiner.fits(packet(numbered(2).previousNode(new PreviousNode(1, 1)), new byte[20]))).as("another node").isFalse();
        assertThat(joiner.fits(packet(numbered(2).stream(43, 2), new byte[20]))).as("another stream").isFalse();
        assertThat(joiner.fits(packet(numbered(2).contentEncoding(ContentEncoding.JOINED, 40), new byte[20]))).as("nested").isFalse();
        ByteBuf alone = joiner.take();
        assertThat(ByteBufUtil.hexDump(alone)).as("one alone is as it came").isEqualTo(hex(first));
        alone.release();
    }

    static Stream<Arguments> bad() {
        byte[] good = ByteBufUtil.getBytes(packet(numbered(1), new byte[10]).buffer());
        return Stream.of(damage("packets end inside a packet", octets -> octets.writerIndex(octets.writerIndex() - 1)), damage("inside a header", octets -> octets.writeByte(1)),
                damage("no packet", octets -> octets.writeLong(0)), damage("another stream", octets -> octets.setLong(12, 43)),
                damage("another Type ID", octets -> octets.setShort(2, 0x5403)), damage("an error packet", octets -> octets.setShort(2, 0)),
                damage("an option twice", octets -> octets.setShort(28, 0x8001)),
                damage("encoded itself", octets -> octets.writeBytes(packet(numbered(2).contentEncoding(ContentEncoding.ZSTD, 9), good).buffer())),
                damage("nested", octets -> octets.writeBytes(packet(numbered(2).contentEncoding(ContentEncoding.JOINED, good.length), good).buffer())),
                damage("damaged", octets -> octets.writeBytes(packet(numbered(2).checksum(true), good).buffer()).setByte(octets.writerIndex() - 1, 77)),
                damage("a previous node where the joined packet has none", octets -> octets.writeBytes(packet(numbered(2).previousNode(new PreviousNode(1, 1)), good).buffer())),
                damage("too many", octets -> IntStream.range(0, 256).forEach(i -> octets.writeBytes(good))));
    }

    private static Arguments damage(String what, Consumer<ByteBuf> change) {
        return Arguments.of(what, change);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void bad(String what, Consumer<ByteBuf> change) {
        ByteBuf octets = Unpooled.buffer().writeBytes(packet(numbered(1), new byte[10]).buffer());
        change.accept(octets);
        Packet joined = packet(numbered(1).contentEncoding(ContentEncoding.JOINED, octets.readableBytes()), ByteBufUtil.getBytes(octets));
        assertThatThrownBy(() -> new PacketSplitter().split(joined, allocator)).isInstanceOf(MalformedPacketException.class);
    }

    @Test
    void aPayloadOfAnotherLengthThanItSaysIsRefused() {
        byte[] good = ByteBufUtil.getBytes(packet(numbered(1), new byte[10]).buffer());
        assertThat(split(packet(numbered(1).contentEncoding(ContentEncoding.JOINED, good.length), good))).hasSize(1);
        assertThatThrownBy(() -> split(packet(numbered(1).contentEncoding(ContentEncoding.JOINED, 2 * good.length), good))).hasMessageStartingWith("EE-109");
    }

    @Test
    void nothingIsAllocatedForAPacket() {
        Packet packet = packet(numbered(1).previousNode(new PreviousNode(1, 1)), new byte[64]);
        allocated(packet, 2);
        allocated(packet, 200);
        assertThat(allocated(packet, 200) - allocated(packet, 2)).as("octets of heap for 198 packets more").isLessThan(100);
    }

    /** Octets of heap for a joined packet, and for splitting it. */
    private long allocated(Packet packet, int packets) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        PacketJoiner joiner = new PacketJoiner(Anep.MAX_PACKET);
        PacketSplitter splitter = new PacketSplitter();
        Packet view = new Packet();
        int rounds = 500;
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < rounds; i++) {
            for (int each = 0; each < packets; each++) {
                joiner.add(packet, allocator);
            }
            ByteBuf joined = joiner.take();
            view.wrap(joined, joined.readerIndex(), joined.readableBytes()).checkOptions();
            splitter.split(view, allocator).release();
            joined.release();
        }
        return (threads.getCurrentThreadAllocatedBytes() - before) / rounds;
    }
}
