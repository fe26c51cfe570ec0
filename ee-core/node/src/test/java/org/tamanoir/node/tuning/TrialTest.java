package org.tamanoir.node.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.tuning.Trial.Outcome;
import org.tamanoir.node.tuning.Trial.Voice;

/** Legs whose rates scatter as those of real transfers do, log-normally; each trial has a seed, and prints nothing that the seed does not repeat. */
@Tag("seeded")
class TrialTest {
    private static final int SEEDS = 500;
    /** Of the logarithm: two of three rates are between 0.7 and 1.4 times their median. */
    private static final double SCATTER = 0.35;
    private static final int PATIENCE = 1_000;

    /** Runs a trial to its end. @param leg by whether it has the rule @return null if nothing comes out */
    private static Outcome run(long seed, Function<Boolean, LegSample> leg) {
        Trial trial = new Trial(seed);
        Outcome outcome = null;
        for (int i = 0; i < PATIENCE && outcome == null; i++) {
            boolean tuned = trial.next();
            outcome = trial.heard(new Voice(tuned), leg.apply(tuned));
            assertThat(trial.kept()).isLessThanOrEqualTo(4 * Trial.MOST);
        }
        return outcome;
    }

    private static double scattered(Random random, double median) {
        return median * Math.exp(SCATTER * random.nextGaussian());
    }

    private static LegSample rate(double bits) {
        return new LegSample(bits, 0.001, 1.2, true);
    }

    /** In how many of the seeds a rule that makes rates so many times what they were is taken back. */
    private static int takenBack(double times) {
        int count = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            Outcome outcome = run(seed, tuned -> rate(scattered(random, tuned ? times * 1e7 : 1e7)));
            assertThat(outcome).as("seed %d", seed).isNotNull();
            count += outcome.harms() ? 1 : 0;
        }
        return count;
    }

    @Test
    void aRuleThatHalvesTheRateIsTakenBackInNearlyAllTrials() {
        assertThat(takenBack(0.5)).isGreaterThanOrEqualTo(SEEDS * 99 / 100);
    }

    @Test
    void aRuleThatChangesNothingIsHardlyEverTakenBack() {
        assertThat(takenBack(1)).isLessThanOrEqualTo(SEEDS / 100);
    }

    @Test
    void aRuleThatDoesGoodIsNeverTakenBack() {
        assertThat(takenBack(1.5)).isZero();
    }

    @Test
    void aRuleThatTakesAsLittleAsEqualLegsDifferByIsConfirmed() {
        assertThat(takenBack(0.95)).isLessThanOrEqualTo(SEEDS / 50);
    }

    /** Of a rate, what is sent again, and the round trip: each alone is enough. */
    @Test
    void whatIsSentAgainAndQueuesAreHarmAsWell() {
        int resent = 0;
        int queued = 0;
        int worth = 0;
        for (long seed = 0; seed < SEEDS / 5; seed++) {
            Random random = new Random(seed);
            resent += run(seed, tuned -> new LegSample(scattered(random, 1e7), scattered(random, tuned ? 0.06 : 0.01), 1.2, true)).harms() ? 1 : 0;
            queued += run(seed, tuned -> new LegSample(scattered(random, 1e7), 0, scattered(random, tuned ? 4 : 1.3), true)).harms() ? 1 : 0;
            worth += run(seed, tuned -> new LegSample(scattered(random, tuned ? 2e7 : 1e7), 0, scattered(random, tuned ? 4 : 1.3), true)).harms() ? 1 : 0;
        }
        assertThat(resent).as("six of a hundred sent again in place of one").isGreaterThanOrEqualTo(SEEDS / 5 * 99 / 100);
        assertThat(queued).as("round trips three times as long").isGreaterThanOrEqualTo(SEEDS / 5 * 99 / 100);
        assertThat(worth).as("the same for twice the rate").isLessThanOrEqualTo(SEEDS / 5 * 5 / 100);
    }

    @Test
    void aFewMoreThatAreSentAgainAreNoHarm() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            assertThat(run(seed, tuned -> new LegSample(scattered(random, 1e7), tuned ? 0.012 : 0.001, 1.2, true)).reason()).as("seed %d", seed).doesNotContain("sent again");
        }
    }

    @Test
    void aRoundTripThatIsSomewhatLongerIsNoHarm() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            assertThat(run(seed, tuned -> new LegSample(scattered(random, 1e7), 0, tuned ? 2.3 : 1.2, true)).reason()).as("seed %d", seed).doesNotContain("round trip");
            Random again = new Random(seed);
            assertThat(run(seed, tuned -> new LegSample(scattered(again, 1e7), 0, tuned ? 5 : 0, true)).reason()).as("seed %d, not known without the rule", seed).doesNotContain("round trip");
        }
    }

    @Test
    void ofEachTwoLegsOneHasTheRuleAndTheOrderIsDrawn() {
        Trial trial = new Trial(3);
        int first = 0;
        for (int i = 0; i < 1_000; i++) {
            boolean one = trial.next();
            assertThat(trial.next()).isNotEqualTo(one);
            first += one ? 1 : 0;
        }
        assertThat(first).isBetween(420, 580);
    }

    @Test
    void nothingComesOutOfFewLegsHoweverFarApart() {
        Trial trial = new Trial(1);
        for (int i = 0; i < Trial.LEAST - 1; i++) {
            assertThat(trial.heard(new Voice(true), rate(1e5))).isNull();
        }
        for (int i = 0; i < Trial.LEAST - 1; i++) {
            assertThat(trial.heard(new Voice(false), rate(1e9))).isNull();
        }
        trial.heard(new Voice(true), rate(1e5));
        Outcome outcome = trial.heard(new Voice(false), rate(1e9));
        assertThat(outcome.harms()).isTrue();
        assertThat(outcome.reason()).isEqualTo("legs with the rule carry 0.100 Mbit/s, legs without it 1000.0 Mbit/s (medians of 8 and 8)");
    }

    @Test
    void aLegThatSpeaksAgainHasOneVoice() {
        Trial trial = new Trial(1);
        Voice slow = new Voice(true);
        for (int i = 0; i < 100; i++) {
            assertThat(trial.heard(slow, rate(1e5 + i))).isNull();
            assertThat(trial.heard(new Voice(false), rate(1e9))).isNull();
        }
        assertThat(trial.with()).isEqualTo(new Trial.Medians(1, 0, 1e5 + 99, 0.001, 1.2));
        assertThat(trial.without().legs()).isEqualTo(Trial.MOST);
        // From now on it says that it carries all that there is.
        trial.heard(slow, new LegSample(5e5, 0, 1, false));
        assertThat(trial.with()).isEqualTo(new Trial.Medians(0, 1, 0, 0, 0));
    }

    /** Paced far below what they would carry legs hold their streams up, and those without the rule never do. */
    @Test
    void legsThatCarriedAllThatThereWasSayWhatTheOthersCouldHaveCarried() {
        Random random = new Random(5);
        Outcome outcome = run(5, tuned -> tuned ? rate(1e6) : new LegSample(scattered(random, 1e7), 0, 1.1, false));
        assertThat(outcome.harms()).isTrue();
        assertThat(outcome.reason()).startsWith("legs with the rule carry 1.0 Mbit/s, legs without it at least ");
    }

    @Test
    void legsThatAllCarriedAllThatThereWasSayNothing() {
        Random random = new Random(5);
        assertThat(run(5, tuned -> new LegSample(scattered(random, tuned ? 1e6 : 1e7), 0, 1.1, false))).isNull();
        assertThat(run(6, tuned -> new LegSample(scattered(random, 1e7), 0, 1.1, tuned))).as("and confirm nothing").isNull();
    }

    @Test
    void mediansAndRankSumsAreThoseOfTheBooks() {
        assertThat(Trial.median(new double[0])).isZero();
        assertThat(Trial.median(new double[] {3, 1, 2})).isEqualTo(2);
        assertThat(Trial.median(new double[] {4, 1, 2, 3})).isEqualTo(2.5);
        // U is 9 of 9 pairs: (9 - 4.5) / sqrt(9 * 7 / 12).
        assertThat(Trial.below(new double[] {1, 2, 3}, new double[] {4, 5, 6})).isEqualTo(4.5 / Math.sqrt(5.25));
        assertThat(Trial.below(new double[] {1, 2}, new double[] {2, 1})).isZero();
    }
}
