package org.tamanoir.paths.forecast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.paths.forecast.Forecaster.Forecast;

@Tag("seeded")
class ForecasterTest {
    /** Case 15. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void onASeriesWithAStepItIsNoWorseThanTheBestPredictorAlone(long seed) {
        Forecaster forecaster = new Forecaster();
        Arrays.stream(StepSeries.of(seed)).forEach(forecaster::add);
        assertThat(forecaster.meanError()).isLessThanOrEqualTo(1.05 * forecaster.leastMeanError());
    }

    /** The predictor that a series is made for speaks. */
    @Test
    void thePredictorThatWasOffLeastSpeaks() {
        Random random = new Random(7);
        Forecaster walk = new Forecaster();
        Forecaster noise = new Forecaster();
        double at = 1000;
        for (int i = 0; i < 500; i++) {
            at += random.nextGaussian();
            walk.add(at);
            noise.add(80 + random.nextGaussian());
        }
        assertThat(walk.next().predictor()).isEqualTo("last value");
        assertThat(walk.next().value()).isEqualTo(at);
        assertThat(noise.next().predictor()).isIn("median of 31", "moving average 0.1");
        assertThat(noise.next().value()).isCloseTo(80, within(1.0));
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void theErrorHas68OfAHundred(long seed) {
        Random random = new Random(seed);
        Forecaster forecaster = new Forecaster();
        int inside = 0;
        for (int i = 0; i < 2000; i++) {
            double value = 80 + 5 * random.nextGaussian();
            Forecast next = forecaster.next();
            inside += value >= next.low() && value <= next.high() ? 1 : 0;
            forecaster.add(value);
        }
        assertThat(inside / 2000.0).isBetween(0.64, 0.72);
    }

    @Test
    void ofNothingItKnowsNothingAndOneValueHasNoError() {
        Forecaster forecaster = new Forecaster();
        assertThat(forecaster.next().value()).isNaN();
        forecaster.add(Double.NaN);
        forecaster.add(Double.POSITIVE_INFINITY);
        forecaster.add(5);
        assertThat(forecaster.next().value()).isEqualTo(5);
        assertThat(forecaster.next().low()).isNaN();
        assertThat(forecaster.next().count()).isEqualTo(1);
        forecaster.add(9);
        assertThat(forecaster.meanError()).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"0, SMALL", "49999999, SMALL", "50000000, MEDIUM", "250000000, LARGE", "749999999, LARGE", "750000000, HUGE", "1e30, HUGE"})
    void transfersHaveASizeClass(double octets, SizeClass size) {
        assertThat(SizeClass.of(octets)).isEqualTo(size);
    }
}
