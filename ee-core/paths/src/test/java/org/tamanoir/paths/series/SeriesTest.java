package org.tamanoir.paths.series;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.tamanoir.anep.AnepException;

/** A series and its code. */
class SeriesTest {
    private static final long BEGINS = 1_764_137_260_000L;

    private static List<byte[]> vectors() throws IOException {
        try (InputStream in = SeriesTest.class.getResourceAsStream("/vectors/series/series.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("#")).map(HexFormat.of()::parseHex).toList();
        }
    }

    private static void same(Series one, Series other) {
        assertThat(one.begins()).isEqualTo(other.begins());
        assertThat(Arrays.equals(one.times(), other.times())).isTrue();
        assertThat(one.columns().keySet()).containsExactlyElementsOf(other.columns().keySet());
        one.columns().forEach((name, values) -> assertThat(Arrays.equals(values, other.columns().get(name))).as(name).isTrue());
    }

    @Example
    void theCodeIsAsTheVectorsHaveIt() throws IOException {
        Map<String, long[]> columns = new LinkedHashMap<>();
        columns.put("snd_mss", new long[] {1448, 1448, 1448, 1448});
        columns.put("rtt", new long[] {20_000, 20_100, 19_900, 20_000});
        columns.put("bytes_sent", new long[] {1_000_000, 2_250_000, 3_500_000, 4_750_000});
        List<Series> all = List.of(new Series(BEGINS, new long[] {0, 100, 201, 300}, columns), new Series(-1, new long[] {0}, Map.of()),
                new Series(0, new long[] {5, 4}, Map.of("x", new long[] {Long.MIN_VALUE, Long.MAX_VALUE})));
        for (int i = 0; i < all.size(); i++) {
            assertThat(HexFormat.of().formatHex(all.get(i).encode())).isEqualTo(HexFormat.of().formatHex(vectors().get(i)));
            same(Series.decode(vectors().get(i)), all.get(i));
        }
    }

    @Provide
    Arbitrary<long[]> numbers() {
        return Arbitraries.oneOf(Arbitraries.longs(), Arbitraries.longs().between(0, 300), Arbitraries.just(7L)).array(long[].class).ofMinSize(1).ofMaxSize(80);
    }

    @Property(tries = 300)
    void anySeriesComesBack(@ForAll long begins, @ForAll("numbers") long[] times, @ForAll("numbers") long[] values, @ForAll("numbers") long[] more) {
        Map<String, long[]> columns = new LinkedHashMap<>();
        columns.put("a", Arrays.copyOf(values, times.length));
        columns.put("b_2", Arrays.copyOf(more, times.length));
        Series series = new Series(begins, times, columns);
        same(Series.decode(series.encode()), series);
    }

    /** Wrong: memory by what a number says, a series by chance, and any error but EE-781. */
    @Property(tries = 2000)
    void anythingElseIsRefused(@ForAll byte[] octets, @ForAll int at, @ForAll byte other) throws IOException {
        byte[] damaged = vectors().get(0).clone();
        damaged[Math.floorMod(at, damaged.length)] = other;
        for (byte[] code : List.of(octets, damaged, Arrays.copyOf(damaged, Math.floorMod(at, damaged.length)))) {
            try {
                Series.decode(code);
            } catch (AnepException e) {
                assertThat(e.getMessage()).startsWith("EE-781 series: ");
            }
        }
    }

    @Example
    void whatIsWrongIsSaid() {
        Map<String, String> wrong = new LinkedHashMap<>();
        wrong.put("", "it ends too early");
        wrong.put("020100", "it is of version 2, and 1 is known");
        wrong.put("01ffffffffffffffffff01", "there are 18446744073709551615 samples, not 1 to 1200");
        wrong.put("01b109", "there are 1201 samples, not 1 to 1200");
        wrong.put("010121", "there are 33 columns, not 0 to 32");
        wrong.put("0101000000" + "00" + "00", "something stands behind its end");
        wrong.put("010100000300", "a column has the coding 3");
        wrong.put("01010100000001410000", "a column has no name of small letters, digits and _");
        wrong.put("0101020000000161000001610000", "column a stands twice");
        wrong.put("010100ffffffffffffffffffff01", "a number has more than 64 bits");
        wrong.forEach((hex, what) -> assertThatThrownBy(() -> Series.decode(HexFormat.of().parseHex(hex))).as(hex).hasMessage("EE-781 series: " + what));
        assertThatThrownBy(() -> Series.decode(new byte[Series.MOST_OCTETS + 1])).hasMessageContaining("more than " + Series.MOST_OCTETS);
        assertThatThrownBy(() -> new Series(0, new long[0], Map.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Series(0, new long[1], Map.of("A", new long[1]))).isInstanceOf(IllegalArgumentException.class);
    }

    @Example
    void aRollUpHasTheLeastTheMeanAndTheMost() {
        assertThat(Rollup.of(new Series(0, new long[] {0, 1, 2}, Map.of("rtt", new long[] {3, 1, 8})))).isEqualTo(Map.of("rtt", new Rollup(1, 4, 8)));
    }
}
