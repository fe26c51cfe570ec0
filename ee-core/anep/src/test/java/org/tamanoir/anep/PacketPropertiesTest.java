package org.tamanoir.anep;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterTry;
import org.tamanoir.anep.AnyPacket.Parts;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.anep.fuzz.DecodeTarget;
import org.tamanoir.anep.fuzz.Found;
import org.tamanoir.anep.fuzz.Vectors;
import org.tamanoir.anep.fuzz.Vectors.Vector;

/** What holds for every packet. */
class PacketPropertiesTest {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);

    @Provide
    Arbitrary<Parts> packets() {
        return AnyPacket.parts();
    }

    @Provide
    Arbitrary<List<Parts>> streams() {
        return AnyPacket.parts().list().ofMinSize(1).ofMaxSize(6);
    }

    @Provide
    Arbitrary<PacketOptions> options() {
        return AnyPacket.options();
    }

    @Provide
    Arbitrary<List<Integer>> pieces() {
        return AnyPacket.pieces();
    }

    @AfterTry
    void everyBufferIsReleased() {
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory()).isZero();
    }

    @Property(tries = 400)
    void anyPacketsSurviveAnySplitOfTheStream(@ForAll("streams") List<Parts> sent,
            @ForAll("pieces") List<Integer> pieces) {
        ByteBuf stream = allocator.buffer();
        List<byte[]> expected = new ArrayList<>();
        for (Parts parts : sent) {
            ByteBuf packet = parts.build(allocator);
            expected.add(ByteBufUtil.getBytes(packet));
            stream.writeBytes(packet);
            packet.release();
        }
        Iterator<Integer> size = Stream.generate(() -> pieces).flatMap(List::stream).iterator();
        Found found = Found.inPieces(ByteBufUtil.getBytes(stream), allocator, left -> size.next());
        stream.release();
        assertThat(found.packets().toArray(byte[][]::new)).isDeepEqualTo(expected.toArray(byte[][]::new));
        assertThat(found.end()).isNull();
    }

    @Property(tries = 400)
    void aPacketIsFoundWithItsLastOctetAndNotBefore(@ForAll("packets") Parts parts, @ForAll @IntRange(max = 20) int before) {
        ByteBuf packet = parts.build(allocator);
        int length = packet.readableBytes();
        // What is not there yet is not read: the buffer holds exactly what has arrived.
        for (int available = 0; available < length; available++) {
            ByteBuf arrived = Unpooled.buffer().writeZero(before).writeBytes(packet, 0, available).capacity(before + available);
            assertThat(Framing.packetLength(arrived, before, available)).isEqualTo(Framing.INCOMPLETE);
        }
        assertThat(Framing.packetLength(packet, 0, length)).isEqualTo(length);
        packet.release();
    }

    @Property(tries = 1000)
    void whatWasWrittenIsRead(@ForAll("packets") Parts parts) {
        ByteBuf octets = parts.build(allocator);
        Packet packet = Packet.of(octets);
        packet.checkOptions();
        ByteBuf again = new Parts(packet.typeId(), packet.flags(), packet.options(), ByteBufUtil.getBytes(packet.payload())).build(allocator);
        assertThat(again).isEqualTo(octets);
        assertThat(packet.typeId()).isEqualTo(parts.typeId());
        assertThat(packet.flags()).isEqualTo(parts.flags());
        assertThat(ByteBufUtil.getBytes(packet.payload())).isEqualTo(parts.payload());
        if (parts.options() != null) {
            assertThat(packet.options()).usingRecursiveComparison().isEqualTo(parts.options());
        }
        again.release();
        octets.release();
    }

    /**
     * One bit changes the sum by a power of two, which is never 0 modulo 65,535. What the checksum cannot see is a bit that hides the
     * checksum: in its own tag or length, in the length of an option before it, or in the header length.
     */
    @Property(tries = 300)
    void everySingleBitFlipIsFoundUnlessItHidesTheChecksumItself(@ForAll("options") PacketOptions options,
            @ForAll @Size(max = 40) byte[] payload) {
        ByteBuf octets = new Parts(0x5402, 0, options.checksum(true), payload).build(allocator);
        int option = Packet.of(octets).find(OptionType.CHECKSUM);
        for (int bit = 0; bit < octets.readableBytes() * 8; bit++) {
            flip(octets, bit);
            if (!isRefused(octets)) {
                boolean mayHide = bit / 8 >= 4 && bit / 8 < 6 || bit / 8 >= Anep.HEADER_SIZE && bit / 8 < option + Anep.WORD;
                assertThat(mayHide).as("bit %d", bit).isTrue();
                assertThat(Packet.of(octets).has(OptionType.CHECKSUM)).as("bit %d", bit).isFalse();
            }
            flip(octets, bit);
        }
        octets.release();
    }

    private static void flip(ByteBuf octets, int bit) {
        octets.setByte(bit / 8, octets.getByte(bit / 8) ^ 0x80 >> bit % 8);
    }

    private static boolean isRefused(ByteBuf octets) {
        try {
            Packet.of(octets).checkOptions();
            return false;
        } catch (MalformedPacketException e) {
            return true;
        }
    }

    @Property(tries = 1000)
    void whatASetterChangesIsTheSamePacketAsWritingItSoAndWhatIsKnownOfItStaysRight(@ForAll("options") PacketOptions options,
            @ForAll @IntRange(max = 255) int from, @ForAll @IntRange(max = 255) int to, @ForAll boolean hand, @ForAll long node,
            @ForAll @Size(max = 9) byte[] payload) {
        options.hops(from).handedOver(!hand).previousNode(new PreviousNode(7, 3324));
        ByteBuf changed = new Parts(0x5402, 0, options, payload).build(allocator);
        Packet packet = Packet.of(changed);
        packet.checkOptions();
        packet.setHops(to);
        packet.setHandedOver(hand);
        packet.setPreviousNode(node, to);
        ByteBuf written = new Parts(0x5402, 0, options.hops(to).handedOver(hand).previousNode(new PreviousNode(node, to)), payload)
                .build(allocator);
        assertThat(changed).isEqualTo(written);
        Packet.of(changed).checkOptions();
        assertThat(packet.options()).usingRecursiveComparison().isEqualTo(Packet.of(written).options());
        changed.release();
        written.release();
    }

    @Property(tries = 1000)
    void namingANodeIsTheSamePacketAsWritingItSo(@ForAll("options") PacketOptions options, @ForAll long node,
            @ForAll @IntRange(max = 0xFFFF) int port, @ForAll @Size(max = 9) byte[] payload) {
        options.previousNode(null);
        ByteBuf before = new Parts(0x5402, 0x80, options, payload).build(allocator);
        Packet packet = Packet.of(before);
        packet.checkOptions();
        assertThat(packet.canNamePreviousNode()).isEqualTo(!options.checksum() && options.connectionUse() == null);
        if (packet.canNamePreviousNode()) {
            ByteBuf named = allocator.buffer().writeZero(5);
            Packet view = new Packet();
            packet.namePreviousNode(node, port, named, view);
            ByteBuf written = new Parts(0x5402, 0x80, options.previousNode(new PreviousNode(node, port)), payload).build(allocator);
            assertThat(ByteBufUtil.getBytes(named, 5, named.readableBytes() - 5)).isEqualTo(ByteBufUtil.getBytes(written));
            assertThat(view.options()).usingRecursiveComparison().isEqualTo(Packet.of(written).options());
            assertThat(view.previousNode()).isEqualTo(node);
            named.release();
            written.release();
        }
        before.release();
    }

    @Provide
    Arbitrary<byte[]> damagedVectors() {
        List<byte[]> vectors = Stream.concat(Vectors.good().stream(), Vectors.malformed().stream()).map(Vector::octets).toList();
        Arbitrary<byte[]> two = Combinators.combine(Arbitraries.of(vectors), Arbitraries.of(vectors))
                .as((first, second) -> ByteBufUtil.getBytes(Unpooled.wrappedBuffer(first, second)));
        return Combinators.combine(Arbitraries.oneOf(Arbitraries.of(vectors), two), damage().list().ofMaxSize(4))
                .as((octets, damages) -> damages.stream().reduce(octets, (now, damage) -> damage.to(now), (a, b) -> b));
    }

    private interface Damage {
        byte[] to(byte[] octets);
    }

    /** A changed bit, a small number where a length may stand, an end that is missing, octets that are too many. */
    private static Arbitrary<Damage> damage() {
        return Combinators.combine(Arbitraries.integers().between(0, 3), Arbitraries.integers().between(0, 1 << 20),
                Arbitraries.bytes()).as((kind, where, value) -> octets -> {
                    int at = octets.length == 0 ? 0 : where % octets.length;
                    byte[] damaged = kind == 2 ? Arrays.copyOf(octets, at)
                            : Arrays.copyOf(octets, octets.length + (kind == 3 ? value & 7 : 0));
                    if (kind < 2 && damaged.length > 0) {
                        damaged[at] = kind == 0 ? (byte) (damaged[at] ^ 1 << (value & 7)) : (byte) (value & 31);
                    }
                    return damaged;
                });
    }

    /** A short and always equal run of what the fuzzer does for longer. */
    @Property(tries = 30_000, seed = "3322", shrinking = ShrinkingMode.BOUNDED)
    void anyOctetsAreAPacketOrAnError(@ForAll("damagedVectors") byte[] octets) {
        DecodeTarget.check(octets);
    }
}
