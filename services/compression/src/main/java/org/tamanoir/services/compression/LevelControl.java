package org.tamanoir.services.compression;

/**
 * Chooses how much to compress, so that neither the codec nor the link waits long for the other. Step 0 leaves packets as they are; each
 * higher step is smaller and slower. Has no clock and no I/O.
 *
 * <p>A period of {@value #PERIOD} ns votes "lower" if the codec has worked almost all the time, packets wait for it, and what it
 * made has gone on: the link could take more. It votes "higher" if the codec has rested and what it made has filled its room: the link is the limit.
 * Any other period has no vote. {@value #TO_LOWER} periods in a row that vote "lower" go one step down. The votes without one to the contrary
 * that go one step up are {@value #TO_RAISE} at first and twice as many after each rise that did not last, up to {@value #MOST_TO_RAISE}: where two
 * steps are about equal the control does not swing between them.
 */
final class LevelControl {
    static final long PERIOD = 20_000_000;
    static final int TO_LOWER = 2;
    static final int TO_RAISE = 4;
    static final int MOST_TO_RAISE = 128;

    /** Parts of a period in which the codec works. */
    private static final double BUSY = 0.85;
    private static final double RESTED = 0.6;
    /** Parts of the room for what waits. */
    private static final double SOME_INPUT = 0.05;
    private static final double LITTLE_OUTPUT = 0.5;
    private static final double MUCH_OUTPUT = 0.75;
    /** What is made grows by more than this in a period: the codec is faster than the link and fills what a pause has emptied. */
    private static final double GROWTH = 0.05;
    /** Periods after which a rise has lasted. */
    private static final int LASTED = 16;

    private final int highest;
    private int step;
    private long begin;
    private boolean begun;
    private long worked;
    private double mostOutput;
    private double firstOutput;
    private int lower;
    private int higher;
    private int toRaise = TO_RAISE;
    private int sinceRise = LASTED;

    /**
     * @param highest the last step, at least 0
     * @param first   the step to begin with, 0 to {@code highest}
     */
    LevelControl(int highest, int first) {
        this.highest = highest;
        this.step = first;
    }

    /** The step for the next packet, 0 to the highest. */
    int step() {
        return step;
    }

    /** The codec has worked for some nanoseconds. */
    void worked(long nanos) {
        worked += nanos;
    }

    /**
     * Looks at what waits.
     *
     * @param now    nanoseconds of a clock that only goes forward
     * @param input  what waits for the codec, 0 to 1 of its room
     * @param output what the codec has made and has not gone on, 0 to 1 of its room
     */
    void look(long now, double input, double output) {
        if (!begun) {
            begun = true;
            begin = now;
        }
        mostOutput = Math.max(mostOutput, output);
        long period = now - begin;
        if (period < PERIOD) {
            return;
        }
        vote((double) worked / period, input, output - firstOutput);
        begin = now;
        worked = 0;
        mostOutput = output;
        firstOutput = output;
    }

    private void vote(double busy, double input, double growth) {
        boolean down = busy > BUSY && input > SOME_INPUT && mostOutput < LITTLE_OUTPUT && growth < GROWTH;
        boolean up = busy < RESTED && mostOutput >= MUCH_OUTPUT;
        lower = down ? lower + 1 : 0;
        higher = up ? higher + 1 : down ? 0 : higher;
        sinceRise++;
        if (sinceRise == LASTED) {
            toRaise = TO_RAISE;
        }
        if (lower >= TO_LOWER && step > 0) {
            if (sinceRise < LASTED) {
                toRaise = Math.min(2 * toRaise, MOST_TO_RAISE);
                sinceRise = LASTED;
            }
            step--;
            lower = 0;
        } else if (higher >= toRaise && step < highest) {
            step++;
            higher = 0;
            sinceRise = 0;
        }
    }
}
