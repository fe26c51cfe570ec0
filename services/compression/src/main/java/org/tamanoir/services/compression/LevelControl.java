package org.tamanoir.services.compression;

import java.util.Arrays;
import java.util.List;

/**
 * Chooses how much to compress, so that neither the codec nor the link waits long for the other. Step 0 leaves packets as they are; each
 * higher step is smaller and slower. Has no clock and no I/O.
 *
 * <p>A period of {@value #PERIOD} ns votes "lower" if the codec has worked almost all the time, packets wait for it, and what it
 * made has gone on: the link could take more. Two such periods in a row go one step down. It votes "higher" if the codec has rested and what it
 * made has filled its room: the link is the limit. It votes "perhaps lower" if the codec has worked much and packets wait: what is the limit
 * cannot be seen, as where codec and link share their processors.
 *
 * <p>{@value #TO_RAISE} ns of votes "higher" or {@value #TO_LOWER} ns of "perhaps lower" begin a trial of the next step, which has to keep the rate, or gain some,
 * or is taken back. The next trial in that direction then has to wait twice as long, up to {@value #LONGEST_WAIT} ns: where two steps are about
 * equal the control does not swing between them.
 */
final class LevelControl {
    static final long PERIOD = 5_000_000;
    static final long TO_RAISE = 80_000_000;
    /** Longer than a slow step takes to fill the room. */
    static final long TO_LOWER = 320_000_000;
    static final long LONGEST_WAIT = 10_000_000_000L;
    static final int AT_ONCE = 2;

    /** Parts of a period in which the codec works. */
    private static final double BUSY = 0.85;
    private static final double RESTED = 0.6;
    private static final double WORKED = 0.5;
    /** Parts of the room for what waits. */
    private static final double SOME_INPUT = 0.05;
    private static final double LITTLE_OUTPUT = 0.5;
    private static final double MUCH_OUTPUT = 0.75;
    /** What is made grows by more than this in a period: the codec is faster than the link and fills what a pause has emptied. */
    private static final double GROWTH = 0.02;

    /** Periods of a trial: those of the change itself, which are not measured; those after which a great difference counts. */
    private static final int CHANGE = 2;
    private static final int EARLY = 8;
    /** Nanoseconds of a trial after which a small difference counts. */
    private static final long JUDGED = 160_000_000;
    /** Parts of the rate before: a great difference, and a small one. */
    private static final double GREAT = 0.25;
    private static final double SMALL = 0.05;
    /** Part of the time in which the codec may work before it can be what takes the link its processor. */
    private static final double TAKES = 0.25;

    /** What is known of a link, for the next stream on it: the step, the votes in nanoseconds before a trial, how fast the codec was at each step. */
    record Known(int step, long toRaise, long toLower, List<Double> speeds) {
        static Known nothing(int first) {
            return new Known(first, TO_RAISE, TO_LOWER, List.of());
        }
    }

    private final int highest;
    private int step;
    private long toRaise;
    private long toLower;
    /** Octets that the codec takes in a nanosecond of its work, by step: as last seen, infinite where it has not been seen. */
    private final double[] speeds;

    // The period.
    private long begin;
    private boolean begun;
    private long worked;
    private long octets;
    private double mostOutput;
    private double firstOutput;

    // Votes: periods in a row, nanoseconds less those to the contrary.
    private int lower;
    private long higher;
    private long perhapsLower;

    // Since the last change of the step: periods, and what they brought, the latest of it.
    private int periods;
    private double sumOctets;
    private double sumWorked;
    private double sumNanos;

    /** +1 or −1 while a step is on trial, otherwise 0. */
    private int trial;
    /** Octets a nanosecond before it. */
    private double rateBefore;

    /**
     * @param highest the last step, at least 0
     * @param known   what to begin with, its step 0 to {@code highest}
     */
    LevelControl(int highest, Known known) {
        this.highest = highest;
        step = known.step;
        toRaise = known.toRaise;
        toLower = known.toLower;
        speeds = new double[highest + 1];
        Arrays.setAll(speeds, at -> at < known.speeds.size() ? known.speeds.get(at) : Double.POSITIVE_INFINITY);
    }

    /** The step for the next packet, 0 to the highest. */
    int step() {
        return step;
    }

    Known known() {
        return new Known(step, toRaise, toLower, Arrays.stream(speeds).boxed().toList());
    }

    /** The codec has worked for some nanoseconds. */
    void worked(long nanos) {
        worked += nanos;
    }

    /**
     * Looks at what waits.
     *
     * @param now    nanoseconds of a clock that only goes forward
     * @param came   octets that have come to be compressed since the last look
     * @param input  what waits for the codec, 0 to 1 of its room
     * @param output what the codec has made and has not gone on, 0 to 1 of its room
     */
    void look(long now, int came, double input, double output) {
        if (!begun) {
            begun = true;
            begin = now;
        }
        octets += came;
        mostOutput = Math.max(mostOutput, output);
        long period = now - begin;
        if (period < PERIOD) {
            return;
        }
        measure(period);
        vote(period, (double) worked / period, input, output - firstOutput);
        decide();
        begin = now;
        worked = 0;
        octets = 0;
        mostOutput = output;
        firstOutput = output;
    }

    private void measure(long period) {
        periods++;
        if (periods <= CHANGE) {
            return;
        }
        if (trial == 0 && sumNanos > 2 * JUDGED) {
            sumOctets /= 2;
            sumWorked /= 2;
            sumNanos /= 2;
        }
        sumOctets += octets;
        sumWorked += worked;
        sumNanos += period;
    }

    private void vote(long period, double busy, double input, double growth) {
        boolean waits = input > SOME_INPUT;
        boolean down = busy > BUSY && waits && mostOutput < LITTLE_OUTPUT && growth < GROWTH;
        boolean up = busy < RESTED && mostOutput >= MUCH_OUTPUT;
        lower = down ? lower + 1 : 0;
        if (up) {
            higher += period;
            perhapsLower = Math.max(0, perhapsLower - period);
        } else if (waits && busy > WORKED) {
            perhapsLower += period;
            higher = Math.max(0, higher - period);
        }
    }

    private void decide() {
        if (lower >= AT_ONCE && step > 0) {
            if (trial > 0) {
                takeBack();
            } else {
                trial = 0;
                change(-1);
            }
        } else if (trial != 0) {
            judge();
        } else if (higher >= toRaise && step < highest) {
            if (rate() > speeds[step + 1] && toRaise < LONGEST_WAIT) {
                higher = 0;
                toRaise = longer(toRaise);
            } else {
                begin(+1);
            }
        } else if (perhapsLower >= toLower && step > 0) {
            begin(-1);
        }
    }

    private void begin(int direction) {
        rateBefore = rate();
        trial = direction;
        change(direction);
    }

    /** A fall has to gain; a rise has to keep the rate, unless the codec rests so much that it takes nothing from the link. */
    private void judge() {
        if (periods <= EARLY) {
            return;
        }
        double gain = rate() / rateBefore - 1;
        boolean over = sumNanos >= JUDGED;
        boolean takes = sumWorked > TAKES * sumNanos;
        if (trial > 0 ? takes && (gain < -GREAT || over && gain < -SMALL) : over && gain < SMALL) {
            takeBack();
        } else if (over || trial < 0 && gain > GREAT) {
            if (trial > 0) {
                toRaise = TO_RAISE;
            } else {
                toLower = TO_LOWER;
            }
            trial = 0;
        }
    }

    private void takeBack() {
        if (trial > 0) {
            toRaise = longer(toRaise);
        } else {
            toLower = longer(toLower);
        }
        change(-trial);
        trial = 0;
    }

    private static long longer(long wait) {
        return Math.min(2 * wait, LONGEST_WAIT);
    }

    /** Octets a nanosecond since the last change of the step. */
    private double rate() {
        return sumNanos == 0 ? 0 : sumOctets / sumNanos;
    }

    private void change(int direction) {
        if (sumWorked > 0) {
            speeds[step] = sumOctets / sumWorked;
        }
        step += direction;
        lower = 0;
        higher = 0;
        perhapsLower = 0;
        periods = 0;
        sumOctets = 0;
        sumWorked = 0;
        sumNanos = 0;
    }
}
