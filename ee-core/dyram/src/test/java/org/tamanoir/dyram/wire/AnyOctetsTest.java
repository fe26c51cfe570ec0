package org.tamanoir.dyram.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.dyram.wire.Vectors.Vector;

/** Whatever comes is a message or is refused as none; and what is a message is read again as it was read. */
class AnyOctetsTest {
    @Property(tries = 3_000, shrinking = ShrinkingMode.OFF)
    void anyPayloadIsAMessageOrNone(@ForAll("payloads") byte[] payload, @ForAll("sessions") long session) {
        check(octets(new PacketBuilder(Codec.TYPE_ID).options(new PacketOptions().stream(session, 7)), payload));
    }

    static byte[] octets(PacketBuilder builder, byte[] payload) {
        ByteBuf packet = builder.payload(Unpooled.wrappedBuffer(payload)).build(UnpooledByteBufAllocator.DEFAULT);
        byte[] octets = new byte[packet.readableBytes()];
        packet.readBytes(octets).release();
        return octets;
    }

    @Property(tries = 3_000, shrinking = ShrinkingMode.OFF)
    void aMessageWithSomeOctetsChangedIsAMessageOrNone(@ForAll("damaged") byte[] octets) {
        check(octets);
    }

    @Provide
    Arbitrary<byte[]> payloads() {
        // The first octet is mostly a kind that there is.
        return Combinators.combine(Arbitraries.integers().between(0, 18), Arbitraries.bytes().array(byte[].class).ofMinSize(0).ofMaxSize(200))
                .as((kind, rest) -> {
                    if (rest.length > 0) {
                        rest[0] = (byte) (int) kind;
                    }
                    return rest;
                });
    }

    @Provide
    Arbitrary<Long> sessions() {
        return Arbitraries.of(0L, 1L, -1L);
    }

    @Provide
    Arbitrary<byte[]> damaged() {
        List<byte[]> vectors = Vectors.good().stream().map(Vector::octets).toList();
        return Combinators.combine(Arbitraries.of(vectors), Arbitraries.integers().between(28, 110).list().ofMinSize(1).ofMaxSize(4),
                Arbitraries.bytes()).as((octets, places, value) -> {
                    byte[] changed = octets.clone();
                    places.forEach(place -> changed[28 + place % (octets.length - 28)] = value);
                    return changed;
                });
    }

    /** @throws AssertionError if something does not hold */
    static void check(byte[] octets) {
        Message message;
        try {
            message = Codec.decode(Vector.packet(octets));
        } catch (BadMessageException e) {
            assertThat(e.getMessage()).contains("no DyRAM message: ");
            return;
        }
        ByteBuf encoded = Codec.encode(message, UnpooledByteBufAllocator.DEFAULT);
        byte[] again = new byte[encoded.readableBytes()];
        encoded.readBytes(again).release();
        Message same = Codec.decode(Vector.packet(again));
        // A cookie is read once.
        assertThat(same).usingRecursiveComparison().ignoringFields("packet", "cookie").withEqualsForType(ByteBuf::equals, ByteBuf.class)
                .isEqualTo(message);
        assertThat(message.toString()).isNotEmpty();
    }
}
