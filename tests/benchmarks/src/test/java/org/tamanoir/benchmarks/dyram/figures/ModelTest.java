package org.tamanoir.benchmarks.dyram.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The model in closed form gives what a Monte-Carlo simulation of the same model gave, to its two digits. */
class ModelTest {
    @ParameterizedTest
    @CsvSource({"1, 1.00, 1.00, 1.00", "2, 1.08, 1.31, 1.63", "4, 1.15, 1.62, 2.35", "6, 1.21, 1.82, 2.73", "8, 1.27, 1.98, 2.99",
        "12, 1.37, 2.19, 3.30", "24, 1.56, 2.49, 3.78", "48, 1.73, 2.71, 4.08"})
    void bandwidthIsSavedAsMonteCarloSays(int size, double atTwentieth, double atQuarter, double atHalf) {
        assertThat(Model.bandwidthRatio(48 / size, size, 0.05)).isCloseTo(atTwentieth, within(0.015));
        assertThat(Model.bandwidthRatio(48 / size, size, 0.25)).isCloseTo(atQuarter, within(0.015));
        assertThat(Model.bandwidthRatio(48 / size, size, 0.5)).isCloseTo(atHalf, within(0.05));
    }
}
