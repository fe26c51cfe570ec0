package org.tamanoir.wasm.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the node does for modules, because it does it faster. */
class CodecsTest {
    private static byte[] text() {
        byte[] text = new byte[20_000];
        Random random = new Random(5);
        for (int i = 0; i < text.length; i++) {
            text[i] = (byte) ('a' + random.nextInt(4));
        }
        return text;
    }

    private static ByteBuffer buffer(int size) {
        return ByteBuffer.allocate(size);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whatIsCompressedIsRestored(int codec) {
        byte[] text = text();
        byte[] packed = new byte[text.length];
        int size = Codecs.compress(codec, ByteBuffer.wrap(text), ByteBuffer.wrap(packed));
        assertThat(size).isBetween(100, text.length / 2);
        byte[] whole = Arrays.copyOf(packed, size);
        byte[] restored = new byte[text.length];
        assertThat(Codecs.decompress(codec, ByteBuffer.wrap(whole), ByteBuffer.wrap(restored))).isEqualTo(text.length);
        assertThat(restored).isEqualTo(text);
        assertThat(Codecs.compress(codec, ByteBuffer.wrap(text), buffer(size - 1))).isEqualTo(Codecs.NO_ROOM);
        assertThat(Codecs.decompress(codec, ByteBuffer.wrap(whole), buffer(text.length - 1))).isEqualTo(Codecs.NO_ROOM);
        assertThat(Codecs.decompress(codec, ByteBuffer.wrap(whole, 0, size / 2), buffer(2 * text.length))).isEqualTo(Codecs.BAD_DATA);
        assertThat(Codecs.decompress(codec, ByteBuffer.wrap(text), buffer(text.length))).isEqualTo(Codecs.BAD_DATA);
        assertThat(Codecs.compress(codec, buffer(Codecs.MOST + 1), buffer(Codecs.MOST))).isEqualTo(Codecs.NO_ROOM);
    }

    /** As in the memory of a module, which holds both. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void theAreasMayBePartsOfOneArrayUnlessTheyOverlap(int codec) {
        byte[] text = text();
        byte[] memory = new byte[3 * text.length];
        System.arraycopy(text, 0, memory, 7, text.length);
        ByteBuffer from = ByteBuffer.wrap(memory, 7, text.length);
        int at = 7 + text.length;
        int size = Codecs.compress(codec, from.duplicate(), ByteBuffer.wrap(memory, at, text.length));
        assertThat(size).isPositive();
        assertThat(Arrays.copyOfRange(memory, 7, at)).isEqualTo(text);
        assertThat(Arrays.copyOfRange(memory, at + text.length, memory.length)).containsOnly(0);
        Arrays.fill(memory, 0, at, (byte) 0);
        assertThat(Codecs.decompress(codec, ByteBuffer.wrap(memory, at, size), from.duplicate())).isEqualTo(text.length);
        assertThat(Arrays.copyOfRange(memory, 7, at)).isEqualTo(text);
        assertThat(Codecs.compress(codec, from.duplicate(), ByteBuffer.wrap(memory, at - 1, 1000))).isEqualTo(Codecs.BAD_DATA);
        assertThat(Codecs.decompress(codec, ByteBuffer.wrap(memory, at, size), ByteBuffer.wrap(memory, at + size - 1, text.length))).isEqualTo(Codecs.BAD_DATA);
    }

    @Test
    void aCodecThatThereIsNotIsBadData() {
        assertThat(Codecs.compress(2, ByteBuffer.wrap(text()), buffer(100))).isEqualTo(Codecs.BAD_DATA);
        assertThat(Codecs.decompress(-1, ByteBuffer.wrap(text()), buffer(100))).isEqualTo(Codecs.BAD_DATA);
    }

    @Test
    void countersHaveNamesAndOnlyGrow() {
        ModuleCounters counters = new ModuleCounters();
        assertThat(counters.id("packets")).isZero();
        assertThat(counters.id("octets_seen")).isEqualTo(1);
        assertThat(counters.id("packets")).isZero();
        assertThat(counters.id("Packets")).isEqualTo(-1);
        assertThat(counters.id("wasm_calls")).isEqualTo(-1);
        assertThat(counters.id("")).isEqualTo(-1);
        for (int i = 2; i < 16; i++) {
            assertThat(counters.id("counter" + i)).isEqualTo(i);
        }
        assertThat(counters.id("counter16")).isEqualTo(-1);
        counters.add(0, 5);
        counters.add(0, -3);
        counters.add(16, 1);
        counters.add(-1, 1);
        assertThat(counters.value(0)).isEqualTo(5);
    }
}
