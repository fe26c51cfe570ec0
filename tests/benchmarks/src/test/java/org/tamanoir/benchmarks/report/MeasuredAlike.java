package org.tamanoir.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Function;

/** Samples in which every figure has the same median, whatever it is called. */
public final class MeasuredAlike extends Samples {
    private static final double LITTLE = 1e-9;
    private static final double MUCH = 1e9;

    private final double median;

    private MeasuredAlike(double median) {
        this.median = median;
    }

    @Override
    public Double median(Key key) {
        return median;
    }

    /**
     * Fails unless every target of a bench can be missed and can hold: one holds only if the figures are large, or only if they are small, and a bench
     * that measured nothing neither keeps nor misses it. Catches a target whose value does not come from the figures, one that is 0 where nothing was
     * measured, and one with its bound on the wrong side.
     */
    public static void assertThatEachCanBeMissed(Function<Samples, List<Target>> targets) {
        assertThat(targets.apply(new Samples())).isNotEmpty().allSatisfy(target -> {
            assertThat(target.value()).as("%s, of nothing", target.name()).isNull();
            assertThat(target.holds()).isFalse();
            assertThat(target.isMissed()).isFalse();
        });
        assertThat(targets.apply(new MeasuredAlike(LITTLE))).allSatisfy(target -> assertThat(target.isMissed()).as("%s, of little", target.name())
                .isEqualTo(target.name().endsWith("at least")).isNotEqualTo(target.holds()));
        assertThat(targets.apply(new MeasuredAlike(MUCH))).allSatisfy(target -> assertThat(target.isMissed()).as("%s, of much", target.name())
                .isEqualTo(target.name().endsWith("at most")).isNotEqualTo(target.holds()));
    }
}
