package org.tamanoir.services.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** However values are grouped and ordered, the whole is the same. */
class FoldTest {
    /** Combines at random, two to four at a time, until one is left. */
    private static Reading combine(List<Reading> readings, Random random) {
        List<Reading> left = new ArrayList<>(readings);
        while (left.size() > 1) {
            Fold fold = new Fold(left.get(0).kind());
            for (int take = Math.min(left.size(), 2 + random.nextInt(3)); take > 0; take--) {
                fold.add(left.remove(random.nextInt(left.size())));
            }
            left.add(fold.result(1, 1, random.nextLong(), 1, 0, 0));
        }
        return left.get(0);
    }

    @Property(tries = 500)
    void integersAreExact(@ForAll @Size(min = 2, max = 60) List<Long> values, @ForAll Random random) {
        Reading whole = combine(values.stream().map(value -> Reading.of(Kind.INTEGER, 1, 1, value, value)).toList(), random);
        assertThat(whole.count()).isEqualTo(values.size());
        assertThat(whole.min()).isEqualTo(values.stream().mapToLong(Long::longValue).min().orElseThrow());
        assertThat(whole.max()).isEqualTo(values.stream().mapToLong(Long::longValue).max().orElseThrow());
        BigInteger sum = values.stream().map(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add);
        assertThat(BigInteger.valueOf(whole.sumFront()).shiftLeft(64).add(new BigInteger(Long.toUnsignedString(whole.sumRest())))).isEqualTo(sum);
    }

    @Property(tries = 500)
    void theOrderOfDoublesCostsLessThanTheLastBit(@ForAll @Size(min = 2, max = 60) List<@DoubleRange(min = -1e12, max = 1e12) Double> values,
            @ForAll Random random) {
        Reading whole = combine(values.stream().map(value -> Reading.of(Kind.DOUBLE, 1, 1, 1, Double.doubleToRawLongBits(value))).toList(), random);
        assertThat(Double.longBitsToDouble(whole.min())).isEqualTo(values.stream().mapToDouble(Double::doubleValue).min().orElseThrow());
        assertThat(Double.longBitsToDouble(whole.max())).isEqualTo(values.stream().mapToDouble(Double::doubleValue).max().orElseThrow());
        double exact = values.stream().map(BigDecimal::new).reduce(BigDecimal.ZERO, BigDecimal::add).doubleValue();
        double size = values.stream().mapToDouble(Math::abs).sum();
        assertThat(Double.longBitsToDouble(whole.sumFront())).isCloseTo(exact, within(Math.ulp(exact) + size * 0x1p-100));
    }

    @Test
    void whatADoubleAloneLosesIsKept() {
        Fold fold = new Fold(Kind.DOUBLE);
        for (double value : new double[] {1e16, 1, 1, 1, -1e16}) {
            fold.add(Reading.of(Kind.DOUBLE, 1, 1, 1, Double.doubleToRawLongBits(value)));
        }
        assertThat(Double.longBitsToDouble(fold.result(1, 1, 1, 1, 0, 0).sumFront())).isEqualTo(3);
        assertThat(1e16 + 1 + 1 + 1 - 1e16).as("what plain doubles make of it").isNotEqualTo(3);
    }

    @Test
    void aSumOutOfRangeIsFlaggedAndStaysFlagged() {
        Fold fold = new Fold(Kind.DOUBLE);
        for (double value : new double[] {Double.MAX_VALUE, Double.MAX_VALUE, -Double.MAX_VALUE}) {
            fold.add(Reading.of(Kind.DOUBLE, 1, 1, 1, Double.doubleToRawLongBits(value)));
        }
        Fold above = new Fold(Kind.DOUBLE);
        above.add(Reading.of(Kind.DOUBLE, 1, 1, 2, Double.doubleToRawLongBits(1)));
        above.add(fold.result(1, 1, 1, 1, 0, 0));
        Reading result = above.result(1, 1, 3, 2, 0, 0);
        assertThat(result.has(Reading.OVERFLOW)).isTrue();
        assertThat(Double.longBitsToDouble(result.sumFront())).isNaN();
        assertThat(Double.longBitsToDouble(result.max())).isEqualTo(Double.MAX_VALUE);
        assertThat(result.count()).isEqualTo(4);
    }
}
