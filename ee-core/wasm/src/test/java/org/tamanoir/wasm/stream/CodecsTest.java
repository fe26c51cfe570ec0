package org.tamanoir.wasm.stream;

import static org.assertj.core.api.Assertions.assertThat;

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

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whatIsCompressedIsRestored(int codec) {
        byte[] text = text();
        byte[] packed = new byte[text.length];
        int size = Codecs.compress(codec, text, packed);
        assertThat(size).isBetween(100, text.length / 2);
        byte[] whole = Arrays.copyOf(packed, size);
        byte[] restored = new byte[text.length];
        assertThat(Codecs.decompress(codec, whole, restored)).isEqualTo(text.length);
        assertThat(restored).isEqualTo(text);
        assertThat(Codecs.compress(codec, text, new byte[size - 1])).isEqualTo(Codecs.NO_ROOM);
        assertThat(Codecs.decompress(codec, whole, new byte[text.length - 1])).isEqualTo(Codecs.NO_ROOM);
        assertThat(Codecs.decompress(codec, Arrays.copyOf(whole, size / 2), new byte[2 * text.length])).isEqualTo(Codecs.BAD_DATA);
        assertThat(Codecs.decompress(codec, text, new byte[text.length])).isEqualTo(Codecs.BAD_DATA);
    }

    @Test
    void aCodecThatThereIsNotIsBadData() {
        assertThat(Codecs.compress(2, text(), new byte[100])).isEqualTo(Codecs.BAD_DATA);
        assertThat(Codecs.decompress(-1, text(), new byte[100])).isEqualTo(Codecs.BAD_DATA);
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
