package org.tamanoir.services.transcode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Packets and key frames of streams that ffmpeg has made, and of octets that nobody has. */
class TransportStreamTest {
    /** As {@code ffprobe -show_entries packet=pos,flags} has them: the offsets of packets with the flag K. */
    private static final List<Integer> KEYS_OF_H264 = List.of(564, 17_108, 33_088);

    /** What was found: all packets, and at which octets of them key frames begin. */
    private record Found(byte[] packets, List<Integer> keys, byte[] tables) {
    }

    static byte[] vector(String name) {
        try (InputStream in = TransportStreamTest.class.getResourceAsStream("/" + name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Found found(byte[] octets, List<Integer> cuts) {
        TransportStream stream = new TransportStream();
        ByteArrayOutputStream packets = new ByteArrayOutputStream();
        List<Integer> keys = new ArrayList<>();
        int at = 0;
        for (int i = 0; at < octets.length; i++) {
            int length = Math.min(cuts.get(i % cuts.size()), octets.length - at);
            ByteBuf piece = Unpooled.wrappedBuffer(octets, at, length);
            stream.take(piece, (run, key) -> {
                assertThat(run.readableBytes()).isPositive().isLessThanOrEqualTo(TransportStream.MOST_RUN);
                assertThat(run.readableBytes() % TransportStream.PACKET).as("whole packets").isZero();
                if (key) {
                    keys.add(packets.size());
                }
                byte[] copy = new byte[run.readableBytes()];
                run.getBytes(run.readerIndex(), copy);
                packets.writeBytes(copy);
            });
            assertThat(piece.isReadable()).isFalse();
            at += length;
        }
        return new Found(packets.toByteArray(), keys, stream.tables());
    }

    @ParameterizedTest
    @CsvSource({"h264.ts, 564 17108 33088", "mpeg2.ts, 564 17108", "sound-first.ts, 564 17108"})
    void keyFramesAreWhereFfprobeHasThemAndNoOctetIsMissing(String name, String keys) {
        byte[] octets = vector(name);
        Found found = found(octets, List.of(octets.length));
        assertThat(found.packets).isEqualTo(octets);
        assertThat(found.keys).isEqualTo(Arrays.stream(keys.split(" ")).map(Integer::valueOf).toList());
        assertThat(found.tables).hasSize(2 * TransportStream.PACKET);
        assertThat(found.tables[2] + found.tables[1] % 0x20).as("the PAT comes first").isZero();
    }

    @Property(tries = 200)
    void cutsChangeNothing(@ForAll @Size(min = 1, max = 20) List<@IntRange(min = 1, max = 2000) Integer> cuts) {
        Found whole = found(vector("h264.ts"), List.of(1 << 20));
        Found cut = found(vector("h264.ts"), cuts);
        assertThat(cut.packets).isEqualTo(whole.packets);
        assertThat(cut.keys).isEqualTo(whole.keys).isEqualTo(KEYS_OF_H264);
        assertThat(cut.tables).isEqualTo(whole.tables);
    }

    @Property(tries = 200)
    void damageCostsWhatIsDamagedAndCutsDoNotChangeWhat(@ForAll long seed, @ForAll @Size(min = 1, max = 20) List<@IntRange(min = 1, max = 2000) Integer> cuts) {
        Random random = new Random(seed);
        byte[] octets = vector("h264.ts");
        for (int i = 0; i < 20; i++) {
            octets[random.nextInt(octets.length)] = (byte) random.nextInt();
        }
        byte[] lost = random.nextBoolean() ? octets : remove(octets, random.nextInt(octets.length - 500), random.nextInt(500));
        Found whole = found(lost, List.of(1 << 20));
        Found cut = found(lost, cuts);
        assertThat(cut.packets).isEqualTo(whole.packets);
        assertThat(cut.keys).isEqualTo(whole.keys);
        assertThat(whole.packets.length).isGreaterThan(lost.length - 30 * TransportStream.PACKET);
    }

    private static byte[] remove(byte[] octets, int at, int length) {
        byte[] left = new byte[octets.length - length];
        System.arraycopy(octets, 0, left, 0, at);
        System.arraycopy(octets, at + length, left, at, octets.length - at - length);
        return left;
    }

    @Property(tries = 50)
    void whatIsNoTransportStreamIsRefusedSoon(@ForAll long seed) {
        byte[] random = new byte[1 << 20];
        new Random(seed).nextBytes(random);
        assertThatThrownBy(() -> found(random, List.of(5000))).hasMessageStartingWith("EE-109 ");
    }

    /** Whatever stands in tables and packets: nothing is read outside of them. */
    @Property(tries = 500)
    void packetsOfAnyContentAreTaken(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] octets = new byte[64 * TransportStream.PACKET];
        random.nextBytes(octets);
        for (int at = 0; at < octets.length; at += TransportStream.PACKET) {
            octets[at] = 0x47;
            if (random.nextBoolean()) {
                // A table of its own, as far as its first octets say.
                octets[at + 1] = 0x40;
                octets[at + 2] = 0;
                octets[at + 3] = (byte) (random.nextBoolean() ? 0x10 : 0x30);
                octets[at + 4] = (byte) random.nextInt(3);
            }
        }
        assertThat(found(octets, List.of(1 + random.nextInt(3000))).packets).isEqualTo(octets);
    }

    @Test
    void whatIsOutsideOfPacketsIsCountedAndWithoutTablesThereAreNone() {
        TransportStream stream = new TransportStream();
        assertThat(stream.tables()).isEmpty();
        byte[] octets = vector("h264.ts");
        stream.take(Unpooled.wrappedBuffer(new byte[1000], Arrays.copyOfRange(octets, 0, 376), new byte[10]), (run, key) -> { });
        assertThat(stream.skipped()).isEqualTo(1010);
        assertThat(stream.tables()).as("a PAT alone is not enough").isEmpty();
        stream.take(Unpooled.wrappedBuffer(octets, 376, 1000), (run, key) -> { });
        assertThat(stream.tables()).isEqualTo(Arrays.copyOfRange(octets, 188, 564));
    }

    @Test
    void aRunWithTheTablesInFrontIsAStreamOfItsOwn() {
        byte[] octets = vector("h264.ts");
        Found first = found(octets, List.of(octets.length));
        byte[] tail = Arrays.copyOfRange(octets, KEYS_OF_H264.get(1), octets.length);
        byte[] joined = new byte[first.tables.length + tail.length];
        System.arraycopy(first.tables, 0, joined, 0, first.tables.length);
        System.arraycopy(tail, 0, joined, first.tables.length, tail.length);
        assertThat(found(joined, List.of(333)).keys).startsWith(first.tables.length).hasSize(2);
    }
}
