package org.tamanoir.services.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.services.compression.Codec.BadContent;

class CodecTest {
    private static final Codec GZIP = new GzipCodec();
    private static final Codec ZSTD = new ZstdCodec();

    @AfterContainer
    static void close() {
        GZIP.close();
        ZSTD.close();
    }

    @Provide
    Arbitrary<Codec> codecs() {
        return Arbitraries.of(GZIP, ZSTD);
    }

    /** How the octets lie in memory: direct as in a node, on the heap, or in pieces. */
    private enum Memory {
        DIRECT, HEAP, PIECES;

        ByteBuf hold(byte[] octets) {
            return switch (this) {
                case DIRECT -> Unpooled.directBuffer(Math.max(1, octets.length)).writeBytes(octets);
                case HEAP -> Unpooled.copiedBuffer(octets);
                case PIECES -> Unpooled.wrappedBuffer(Unpooled.copiedBuffer(octets, 0, octets.length / 2),
                        Unpooled.copiedBuffer(octets, octets.length / 2, octets.length - octets.length / 2));
            };
        }
    }

    /** Noise over a small or large alphabet: from all one octet to what no codec can shrink. */
    static byte[] payload(Random random, int length) {
        int alphabet = 1 << random.nextInt(9);
        byte[] octets = new byte[length];
        for (int i = 0; i < length; i++) {
            octets[i] = (byte) random.nextInt(alphabet);
        }
        return octets;
    }

    static byte[] encode(Codec codec, byte[] octets) {
        ByteBuf source = Unpooled.wrappedBuffer(octets);
        ByteBuf encoded = codec.encode(source, 0, octets.length, 3);
        return encoded == null ? null : ByteBufUtil.getBytes(encoded);
    }

    static byte[] restore(Codec codec, ByteBuf source, int original) {
        ByteBuf target = Unpooled.directBuffer(original + 7).writeZero(3);
        try {
            codec.restore(source, source.readerIndex(), source.readableBytes(), target, original);
            assertThat(target.writerIndex()).isEqualTo(3 + original);
            return ByteBufUtil.getBytes(target, 3, original);
        } finally {
            target.release();
        }
    }

    static byte[] restore(Codec codec, byte[] encoded, int original) {
        return restore(codec, Unpooled.wrappedBuffer(encoded), original);
    }

    @Property(tries = 400)
    void anyPayloadComesBackFromAnyMemory(@ForAll("codecs") Codec codec, @ForAll Random random, @ForAll Memory memory,
            @ForAll @IntRange(min = 1, max = 65_535) int length) {
        byte[] octets = payload(random, length);
        ByteBuf source = memory.hold(octets);
        ByteBuf encoded = codec.encode(source, 0, length, 3);
        if (encoded != null) {
            assertThat(encoded.readableBytes()).isLessThan(length);
            ByteBuf sent = memory.hold(ByteBufUtil.getBytes(encoded));
            assertThat(restore(codec, sent, length)).isEqualTo(octets);
            sent.release();
        }
        assertThat(source.refCnt()).isEqualTo(1);
        source.release();
    }

    @Property(tries = 2_000)
    void damagedContentIsRefusedOrHasTheAnnouncedLength(@ForAll("codecs") Codec codec, @ForAll Random random,
            @ForAll @IntRange(min = 200, max = 3_000) int length) {
        byte[] octets = new byte[length];
        for (int i = 0; i < length; i++) {
            octets[i] = (byte) random.nextInt(8);
        }
        byte[] encoded = encode(codec, octets);
        switch (random.nextInt(3)) {
            case 0 -> encoded[random.nextInt(encoded.length)] ^= (byte) (1 << random.nextInt(8));
            case 1 -> encoded = Arrays.copyOf(encoded, random.nextInt(encoded.length));
            default -> random.nextBytes(encoded);
        }
        try {
            assertThat(restore(codec, encoded, length)).hasSize(length);
        } catch (BadContent e) {
            assertThat(e.code()).isEqualTo(ErrorCode.BAD_CONTENT);
        }
    }

    @Property(tries = 300)
    void contentOfAnotherLengthThanAnnouncedIsRefusedAndWritesNoMore(@ForAll("codecs") Codec codec,
            @ForAll @IntRange(min = 100, max = 65_535) int length, @ForAll @IntRange(max = 65_535) int announced) {
        byte[] encoded = encode(codec, new byte[length]);
        if (announced == length) {
            assertThat(restore(codec, encoded, announced)).hasSize(length);
            return;
        }
        ByteBuf target = Unpooled.directBuffer(70_000);
        target.setZero(0, 70_000).setByte(announced, 0x77);
        assertThatThrownBy(() -> codec.restore(Unpooled.wrappedBuffer(encoded), 0, encoded.length, target, announced))
                .isInstanceOf(AnepException.class).hasMessageStartingWith("EE-109");
        assertThat(target.getByte(announced)).isEqualTo((byte) 0x77);
        assertThat(target.writerIndex()).isZero();
        target.release();
    }
}
