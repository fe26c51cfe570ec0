package org.tamanoir.paths.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

class MetricsTest {
    private static final double LOST = Double.NaN;

    private static boolean[] pattern(String bits) {
        boolean[] lost = new boolean[bits.length()];
        for (int i = 0; i < lost.length; i++) {
            lost[i] = bits.charAt(i) == '1';
        }
        return lost;
    }

    /** Case 10: the vector computed from the definitions of RFC 3357. */
    @Example
    void lossesHaveDistancesPeriodsAndLengths() {
        LossPattern loss = LossPattern.of(pattern("0100101011"));
        assertThat(loss.distances()).containsExactly(0, 0, 0, 0, 3, 0, 2, 0, 2, 1);
        assertThat(loss.periods()).containsExactly(0, 1, 0, 0, 2, 0, 3, 0, 4, 4);
        assertThat(loss.lengths()).containsExactly(1, 1, 1, 2);
        assertThat(loss.losses()).isEqualTo(5);
        assertThat(loss.noticeable(1)).isEqualTo(0.2);
        assertThat(loss.noticeable(2)).isEqualTo(0.6);
        assertThat(loss.noticeable(99)).as("the first loss follows none").isEqualTo(0.8);
        assertThat(LossPattern.of().lengths()).isEmpty();
        assertThat(LossPattern.of(false, false).noticeable(9)).isNaN();
        assertThat(LossPattern.of(true, true, true).lengths()).containsExactly(3);
    }

    @Property(tries = 300)
    void everyLossIsInOneRunAndDistancesLeadBackToTheFirst(@ForAll @Size(max = 200) boolean[] lost) {
        LossPattern loss = LossPattern.of(lost);
        int losses = 0;
        int position = -1;
        for (int i = 0; i < lost.length; i++) {
            if (lost[i]) {
                assertThat(loss.periods().get(i)).isPositive();
                assertThat(loss.distances().get(i)).isEqualTo(position < 0 ? 0 : i - position);
                position = i;
                losses++;
            } else {
                assertThat(loss.periods().get(i) + loss.distances().get(i)).isZero();
            }
        }
        assertThat(loss.losses()).isEqualTo(losses);
        assertThat(loss.lengths()).hasSize(loss.periods().stream().mapToInt(Integer::intValue).max().orElse(0));
    }

    /** Reference values of Wilson's interval: 0 of 10 and 50 of 100 stand in every textbook, 63 of 10,000 is figure 8's loss. */
    @Example
    void theIntervalOfALossRatioIsWilsons() {
        assertThat(new LossRatio(100, 50).low()).isCloseTo(0.40383, within(1e-5));
        assertThat(new LossRatio(100, 50).high()).isCloseTo(0.59617, within(1e-5));
        assertThat(new LossRatio(10, 0).low()).isZero();
        assertThat(new LossRatio(10, 0).high()).isCloseTo(0.27753, within(1e-5));
        assertThat(new LossRatio(10, 10).low()).isCloseTo(0.72247, within(1e-5));
        assertThat(new LossRatio(10, 10).high()).isEqualTo(1);
        assertThat(new LossRatio(10_000, 63)).satisfies(figure -> assertThat(0.00625).isBetween(figure.low(), figure.high()));
        assertThat(new LossRatio(0, 0)).satisfies(nothing -> assertThat(nothing.low()).isZero()).satisfies(nothing -> assertThat(nothing.high()).isEqualTo(1));
        assertThatThrownBy(() -> new LossRatio(1, 2)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Case 8. */
    @Example
    void quantilesAreInterpolatedAsTheSeedsNumbersWantIt() {
        Spread spread = Spread.of(14.2, 81.0, 83.1, 79.5, 85.9, 80.2, 78.8, 82.4, 60.0);
        assertThat(spread.low()).isCloseTo(65.264, within(1e-9));
        assertThat(spread.median()).isEqualTo(80.2);
        assertThat(spread.high()).isCloseTo(82.904, within(1e-9));
        assertThat(Spread.of(LOST, LOST)).isNull();
        assertThat(Spread.of(7, LOST)).isEqualTo(new Spread(1, 7, 7, 7));
    }

    @Property(tries = 300)
    void aQuantileLiesBetweenItsNeighbours(@ForAll @Size(min = 1, max = 50) float[] values) {
        double[] sorted = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            sorted[i] = Float.isFinite(values[i]) ? values[i] : i;
        }
        Arrays.sort(sorted);
        for (double part = 0; part <= 1; part += 0.125) {
            int below = (int) (part * (sorted.length - 1));
            assertThat(Spread.quantile(sorted, part)).isBetween(sorted[below], sorted[Math.min(below + 1, sorted.length - 1)]);
        }
    }

    @Example
    void roundTripsOfOneRun() {
        RoundTrip trip = RoundTrip.of(20.2, LOST, 20.1, 20.4, 23.0);
        assertThat(trip.least()).isEqualTo(20.1);
        assertThat(trip.delays().median()).isCloseTo(20.3, within(1e-9));
        assertThat(trip.loss()).isEqualTo(new LossRatio(5, 1));
        assertThat(RoundTrip.of(LOST, LOST)).isNull();
    }

    /** RFC 3393: a pair in which one packet was lost has no difference. An offset of the clocks changes nothing. */
    @Example
    void jitterIsOfPairsThatArrivedAndKnowsNoOffset() {
        Jitter jitter = Jitter.of(10, 12, LOST, 11, 11, 8);
        assertThat(jitter.pairs()).isEqualTo(3);
        assertThat(jitter.mean()).isCloseTo(5 / 3.0, within(1e-9));
        assertThat(jitter.spread().median()).isZero();
        Jitter anHourOff = Jitter.of(3_600_010, 3_600_012, LOST, 3_600_011, 3_600_011, 3_600_008);
        assertThat(anHourOff).isEqualTo(jitter);
        assertThat(Jitter.of(1, LOST, 2)).isNull();
        assertThat(Jitter.of()).isNull();
    }

    @Example
    void aOneWayDelayIsShownOnlyIfTheClocksAllowIt() {
        assertThat(OneWay.of(0.4, 10, 10.2, 10.1).isPublishable(20.2)).isTrue();
        assertThat(OneWay.of(11, 10, 10.2, 10.1).isPublishable(20.2)).as("half of the round trip is the better guess").isFalse();
        assertThat(OneWay.of(Double.NaN, 10, 10.2).isPublishable(20.2)).as("a clock follows nobody").isFalse();
        assertThat(OneWay.of(0.4, 3_600_010).isPublishable(20.2)).as("an hour off").isFalse();
        assertThat(OneWay.of(0.4, -3_599_990).isPublishable(20.2)).as("an hour off the other way").isFalse();
        assertThat(OneWay.of(0.4, LOST)).isNull();
        assertThat(OneWay.of(0.4, 10, LOST, 10.1).loss()).isEqualTo(new LossRatio(3, 1));
    }
}
