package org.tamanoir.services.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;

class ReadingTest {
    private static Map<String, String> vectors() throws IOException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(ReadingTest.class.getResourceAsStream("/vectors.txt"),
                StandardCharsets.US_ASCII))) {
            return in.lines().filter(line -> !line.startsWith("#")).map(line -> line.split(" "))
                    .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
        }
    }

    private static Reading read(String hex) {
        return Reading.read(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex)), 0);
    }

    private static String hex(Reading reading) {
        return ByteBufUtil.hexDump(reading.write(Unpooled.buffer()));
    }

    private static long bits(double value) {
        return Double.doubleToRawLongBits(value);
    }

    @Test
    void theOctetsAreThoseOfTheVectors() throws IOException {
        Map<String, String> vectors = vectors();
        assertThat(hex(Reading.of(Kind.INTEGER, 42, 7, 0x1001, -5).siblings(3))).isEqualTo(vectors.get("integer-value"));
        assertThat(hex(Reading.of(Kind.DOUBLE, 42, 7, 0x1002, bits(2.5)))).isEqualTo(vectors.get("double-value"));
        assertThat(read(vectors.get("integer-result"))).isEqualTo(new Reading(Kind.INTEGER, 0, 1, 0, 42, 7, 0xfedcba9876543210L, 1500, 3, -5, 40, 0,
                42));
        Fold fold = new Fold(Kind.INTEGER);
        for (long value : new long[] {Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE}) {
            fold.add(Reading.of(Kind.INTEGER, 42, 8, value, value));
        }
        fold.add(Reading.of(Kind.INTEGER, 42, 8, 0, 0));
        Reading four = fold.result(42, 8, 0xfedcba9876543210L, 1, 0, Reading.PARTIAL);
        assertThat(four.sumFront()).as("four times 2^63 - 1 in 128 bits").isEqualTo(1);
        assertThat(four.sumRest()).isEqualTo(-4);
        assertThat(read(vectors.get("partial-result")).sumRest()).as("five times").isEqualTo(Long.MAX_VALUE - 4);
        assertThat(read(vectors.get("final-double-result"))).isEqualTo(new Reading(Kind.DOUBLE, Reading.FINAL, 1, 0, -1, -1, 1, 0, 2,
                bits(-1e308), bits(1e-3), bits(-1e308), bits(1e-3)));
        for (Map.Entry<String, String> vector : vectors.entrySet()) {
            assertThat(hex(read(vector.getValue()))).as(vector.getKey()).isEqualTo(vector.getValue());
        }
    }

    /** One octet of a good vector changed, and the field that the message names. */
    @ParameterizedTest
    @CsvSource({"integer-value, 0, 02, version", "integer-value, 1, 03, kind", "integer-value, 2, 08, flags", "integer-value, 3, 11, level",
        "integer-value, 32, 01, time", "integer-value, 47, 00, count", "integer-value, 40, 01, count",
        "integer-result, 56, ff, minimum or maximum", "double-value, 48, 7ff0000000000000, minimum or maximum",
        "double-value, 56, 7ff8000000000000, minimum or maximum", "double-value, 64, fff0000000000000, sum", "integer-value, 2, 02, sum",
        "integer-value, 72, 00, sum", "integer-result, 79, 79, sum", "integer-result, 64, ffffffffffffffffffffffffffffff00, sum"})
    void whatCannotBeIsRefused(String vector, int at, String octets, String field) throws IOException {
        byte[] good = ByteBufUtil.decodeHexDump(vectors().get(vector));
        byte[] change = ByteBufUtil.decodeHexDump(octets);
        System.arraycopy(change, 0, good, at, change.length);
        assertThatThrownBy(() -> Reading.read(Unpooled.wrappedBuffer(good), 0)).isInstanceOf(AnepException.class)
                .hasMessageContaining("EE-108").hasMessageContaining(field);
    }

    @Property(tries = 2000)
    void anyOctetsAreRefusedOrComeOutAsTheyWentIn(@ForAll @Size(80) byte[] octets, @ForAll boolean likely) {
        if (likely) {
            octets[0] = 1;
            octets[1] = (byte) (1 + (octets[1] & 1));
            octets[2] &= 7;
            Arrays.fill(octets, 32, 47, (byte) 0);
        }
        ByteBuf buffer = Unpooled.wrappedBuffer(octets);
        try {
            assertThat(ByteBufUtil.hexDump(Reading.read(buffer, 0).write(Unpooled.buffer()))).isEqualTo(ByteBufUtil.hexDump(octets));
        } catch (AnepException e) {
            assertThat(e).hasMessageContaining("EE-108");
        }
    }
}
