package org.tamanoir.services.qosmonitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Loss of a window: exact, steady while nothing changes, quick when it does. */
@Tag("seeded")
class LossWindowTest {
    private static final int PROBES = 5;
    private static final int PERIOD = LossWindow.NEWEST;

    private final LossWindow window = new LossWindow();

    /** Trains after which a window that has seen one rate is nearer to another one than to the first. */
    private static int trainsUntil(double before, double after, long seed) {
        Random random = new Random(seed);
        LossWindow window = new LossWindow();
        for (int i = 0; i < LossWindow.TRAINS; i++) {
            window.add(PROBES, lost(random, before));
        }
        int trains = 0;
        while (Math.abs(window.percent() / 100 - after) > Math.abs(window.percent() / 100 - before)) {
            window.add(PROBES, lost(random, after));
            trains++;
        }
        return trains;
    }

    private static int lost(Random random, double rate) {
        int lost = 0;
        for (int i = 0; i < PROBES; i++) {
            lost += random.nextDouble() < rate ? 1 : 0;
        }
        return lost;
    }

    @Test
    void thePatternOfRfc3357IsHalfLost() {
        assertThat(window.percent()).isNaN();
        String pattern = "0100101011";
        for (char probe : pattern.toCharArray()) {
            window.add(1, probe - '0');
        }
        assertThat(window.sent()).isEqualTo(pattern.length());
        assertThat(window.percent()).isEqualTo(50);
        window.add(0, 0);
        assertThat(window.sent()).as("a train of which nothing was sent").isEqualTo(pattern.length());
    }

    @Test
    void theDistributionIsBinomial() {
        assertThat(LossWindow.atMost(2, 10, 0.1)).isCloseTo(0.929809, within(1e-6));
        assertThat(LossWindow.atMost(8, 10, 0.9)).isCloseTo(0.263901, within(1e-6));
        assertThat(LossWindow.atMost(99, 100, 0.9995)).as("no underflow").isCloseTo(1 - Math.pow(0.9995, 100), within(1e-9));
        assertThat(LossWindow.atMost(3, 3, 0.7)).isEqualTo(1);
    }

    @Test
    void oneLostProbeIsNotATenth() {
        for (int i = 0; i < LossWindow.TRAINS; i++) {
            window.add(PROBES, 0);
        }
        assertThat(window.add(PROBES, 1)).isFalse();
        assertThat(window.percent()).isEqualTo(0.5);
    }

    @Test
    void aTenthThatIsLostMostlyShowsWithinTwoPeriods() {
        int afterTwo = 0;
        int afterThree = 0;
        for (int seed = 0; seed < 1000; seed++) {
            int trains = trainsUntil(0, 0.1, seed);
            afterTwo += trains <= 2 * PERIOD ? 1 : 0;
            afterThree += trains <= 3 * PERIOD ? 1 : 0;
        }
        assertThat(afterTwo).as("of 1000, after two periods").isGreaterThan(800);
        assertThat(afterThree).as("of 1000, after three").isGreaterThan(900);
    }

    @Test
    void aThirdThatIsLostAlwaysShowsWithinThreePeriods() {
        for (int seed = 0; seed < 1000; seed++) {
            assertThat(trainsUntil(0, 0.3, seed)).isLessThanOrEqualTo(3 * PERIOD);
        }
    }

    @Test
    void aWholePeriodOfLossIsAllThatCounts() {
        for (int i = 0; i < LossWindow.TRAINS; i++) {
            window.add(PROBES, i % 2 == 0 ? 3 : 4);
        }
        for (int i = 0; i < PERIOD; i++) {
            window.add(PROBES, PROBES);
        }
        assertThat(window.percent()).isEqualTo(100);
    }

    @Test
    void whileNothingChangesTheWindowStaysLongAndRight() {
        for (double rate : new double[] {0.01, 0.1, 0.3, 0.5}) {
            Random random = new Random(7);
            LossWindow steady = new LossWindow();
            double error = 0;
            double probes = 0;
            int trains = 20_000;
            for (int i = 0; i < trains; i++) {
                steady.add(PROBES, lost(random, rate));
                error += Math.abs(steady.percent() / 100 - rate);
                probes += steady.sent();
            }
            double sigma = Math.sqrt(rate * (1 - rate) / (LossWindow.TRAINS * PROBES));
            assertThat(probes / trains).as("probes in the window at " + rate).isGreaterThan(100);
            assertThat(error / trains).as("mean error at " + rate).isLessThan(2 * sigma);
        }
    }

    @Test
    void anotherVersionGoesOnWithTheSame() {
        Random random = new Random(1);
        for (int i = 0; i < 70; i++) {
            window.add(PROBES, lost(random, 0.2));
        }
        LossWindow next = new LossWindow();
        next.load(window.save());
        assertThat(next.sent()).isEqualTo(window.sent());
        assertThat(next.lost()).isEqualTo(window.lost());
        assertThat(next.newestLost()).isEqualTo(window.newestLost());
        next.load(new int[] {1, 7, -3, 2, 4});
        assertThat(next.percent()).as("more lost than sent, less than nothing sent, half a train").isEqualTo(100);
    }
}
