package org.tamanoir.node.tuning;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Whether a rule does harm: legs with it are compared to legs without. Of each two legs one has it, in an order that is drawn, since programs may open
 * connections of two kinds in turn. Does no I/O and has no clock.
 *
 * <p>A leg has one voice, whatever it carries. What held its stream up itself is compared; what carried all that there was says only that it carries that
 * much at least, and counts where nothing else is known of the legs without the rule: then their medians are too low, and never too high.
 */
public final class Trial {
    /** Voices of each side from which on it is judged: with 6 and a difference that no voice contradicts a rank-sum test is not as sure as {@link #SURE} (2.9 deviations); with 8 one may contradict. */
    static final int LEAST = 8;
    /** Voices of each side that are kept, the last ones; with so many there is a judgement, whatever it is. */
    static final int MOST = 40;
    /** Of the rate without the rule: a median below is harm. Rates of equal legs scatter by more than a few of a hundred. */
    static final double LEAST_RATE = 0.8;
    /** Of what is sent, twice as much and two of a hundred more that is sent again. */
    static final double MORE_RETRANSMITTED = 0.02;
    static final double TIMES_RETRANSMITTED = 2;
    /** Round trips over their minimum that are twice as long, unless the rate is by a quarter better. */
    static final double TIMES_TRIP = 2;
    static final double WORTH = 1.25;
    /** Standard deviations of the rank sum: one in 700 by chance, as it is judged after each voice. */
    static final double SURE = 3;
    /** The same for the last judgement: one in 160. */
    static final double SURE_AT_LAST = 2.5;

    /** One leg of the trial. */
    static final class Voice {
        private final boolean tuned;
        private LegSample said;

        Voice(boolean tuned) {
            this.tuned = tuned;
        }
    }

    /** What has come out. @param harms whether the rule is to be taken back; otherwise it is confirmed */
    record Outcome(boolean harms, String reason) {
    }

    /** The legs of one side. */
    private static final class Side {
        private final Deque<Voice> full = new ArrayDeque<>();
        private final Deque<Voice> idle = new ArrayDeque<>();

        void heard(Voice voice) {
            full.remove(voice);
            idle.remove(voice);
            Deque<Voice> its = voice.said.full() ? full : idle;
            its.addLast(voice);
            if (its.size() > MOST) {
                its.removeFirst();
            }
        }

        double[] of(boolean withIdle, ToDoubleFunction<LegSample> figure) {
            return (withIdle ? Stream.concat(full.stream(), idle.stream()) : full.stream()).mapToDouble(voice -> figure.applyAsDouble(voice.said)).toArray();
        }

        Medians medians() {
            return new Medians(full.size(), idle.size(), median(of(false, LegSample::rate)), median(of(false, LegSample::retransmitted)), median(of(false, LegSample::trip)));
        }
    }

    /**
     * What is known of the legs of one side.
     *
     * @param legs          that held their streams up, {@value #MOST} at most
     * @param idle          that carried all that there was, as many at most; not in the medians
     * @param bitsPerSecond median; 0 without legs, as the others
     */
    public record Medians(int legs, int idle, double bitsPerSecond, double retransmitted, double trip) {
    }

    private final Side with = new Side();
    private final Side without = new Side();
    private final SplittableRandom random;
    /** The other one of the two whose first has been given away; null if there is none. */
    private Boolean next;

    Trial(long seed) {
        random = new SplittableRandom(seed);
    }

    /** Whether the next leg has the rule. */
    boolean next() {
        boolean tuned = next != null ? next : random.nextBoolean();
        next = next == null ? !tuned : null;
        return tuned;
    }

    /** A leg says something, or something newer. @return null as long as nothing has come out */
    Outcome heard(Voice voice, LegSample said) {
        voice.said = said;
        (voice.tuned ? with : without).heard(voice);
        return judge();
    }

    Medians with() {
        return with.medians();
    }

    Medians without() {
        return without.medians();
    }

    private Outcome judge() {
        boolean bounds = without.full.size() < LEAST;
        double[] rates = with.of(false, LegSample::rate);
        double[] before = without.of(bounds, LegSample::rate);
        if (rates.length < LEAST || before.length < LEAST) {
            return null;
        }
        boolean last = rates.length >= MOST && before.length >= MOST && !bounds;
        double sure = last ? SURE_AT_LAST : SURE;
        double rate = median(rates);
        double rateBefore = median(before);
        if (rate < LEAST_RATE * rateBefore && below(rates, before) > sure) {
            return new Outcome(true, "legs with the rule carry " + mbits(rate) + ", legs without it " + (bounds ? "at least " : "") + mbits(rateBefore) + legs(rates, before));
        }
        if (bounds) {
            return null;
        }
        Outcome harm = more("sent again", LegSample::retransmitted, (now, then) -> now > TIMES_RETRANSMITTED * then && now > then + MORE_RETRANSMITTED, sure);
        if (harm == null && rate < WORTH * rateBefore) {
            harm = more("the round trip over its minimum", LegSample::trip, (now, then) -> then > 0 && now > TIMES_TRIP * then, sure);
        }
        return harm != null || !last ? harm : new Outcome(false, "legs with the rule carry " + mbits(rate) + ", legs without it " + mbits(rateBefore) + legs(rates, before));
    }

    private interface Worse {
        boolean is(double now, double then);
    }

    private Outcome more(String what, ToDoubleFunction<LegSample> figure, Worse worse, double sure) {
        double[] now = with.of(false, figure);
        double[] then = without.of(false, figure);
        return worse.is(median(now), median(then)) && below(then, now) > sure
                ? new Outcome(true, what + ": " + text(median(now)) + " with the rule, " + text(median(then)) + " without it" + legs(now, then)) : null;
    }

    /** By how many standard deviations the rank sum of some is below what it would be if they were like the others (Mann and Whitney 1947; equal ones count half). */
    static double below(double[] some, double[] others) {
        double sum = 0;
        for (double one : some) {
            for (double other : others) {
                sum += one < other ? 1 : one == other ? 0.5 : 0;
            }
        }
        double pairs = (double) some.length * others.length;
        return (sum - pairs / 2) / Math.sqrt(pairs * (some.length + others.length + 1) / 12);
    }

    static double median(double[] values) {
        if (values.length == 0) {
            return 0;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    private static String legs(double[] with, double[] without) {
        return " (medians of " + with.length + " and " + without.length + ")";
    }

    private static String mbits(double bits) {
        return text(bits / 1e6) + " Mbit/s";
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, value < 1 ? "%.3f" : "%.1f", value);
    }

    /** For tests: how many voices are kept. */
    int kept() {
        return Stream.of(with, without).flatMap(side -> Stream.of(side.full, side.idle)).mapToInt(Deque::size).sum();
    }
}
