package org.tamanoir.dyram.source;

import org.tamanoir.dyram.source.SourceSettings.Rate;

/**
 * The rate that the slowest receiver can follow, found as AMCA does (INRIA RR-4689): the worst queueing delay below says that a queue grows
 * before anything is lost; nodes hand on the worst of their links. Random loss alone does not slow a session down. Ours are the numbers:
 * doubling until the first sign of a queue, then a fiftieth more every interval, a fifth less at each sign.
 */
final class RateControl {
    /** Queueing delay, in microseconds, that means congestion. */
    static final int CONGESTED = 20_000;
    /** Below this the queue is empty enough to go faster. */
    static final int CLEAR = 10_000;
    /** Loss, in ten-thousandths, that no queue explains and yet means that less gets through than is sent. */
    static final int MOST_LOSS = 6_000;
    static final long INTERVAL = 250_000_000;

    private static final double DECREASE = 0.8;
    private static final double MOST_DECREASE = 0.25;
    private static final double INCREASE = 0.02;
    private static final int FIRST_PART = 8;

    private final Rate settings;
    private double rate;
    private boolean doubling = true;
    private int worstDelay;
    private int worstLoss;
    /** The least of what receivers got, in bits of content a second; 0 if nobody said. */
    private long leastGot;
    private boolean heard;
    private long nextStep;

    RateControl(Rate settings, long now) {
        this.settings = settings;
        this.rate = settings.adapt() ? Math.max(settings.least(), settings.most() / (double) FIRST_PART) : settings.most();
        this.nextStep = now + INTERVAL;
    }

    /** What a report says of everything below a link. */
    void report(int delayMicros, int loss, long got) {
        if (got > 0) {
            leastGot = leastGot == 0 ? got : Math.min(leastGot, got);
        }
        worstDelay = Math.max(worstDelay, delayMicros);
        worstLoss = Math.max(worstLoss, loss);
        heard = true;
    }

    /** @return bits a second from now on */
    long step(long now) {
        if (settings.adapt() && now >= nextStep && heard) {
            nextStep = now + INTERVAL;
            if (worstDelay > CONGESTED || worstLoss > MOST_LOSS) {
                doubling = false;
                // What gets through is known: a queue that is there is emptied at once, not over many intervals.
                double through = leastGot == 0 ? rate : leastGot * DECREASE;
                rate = Math.max(rate * MOST_DECREASE, Math.min(rate * DECREASE, through));
            } else if (worstDelay < CLEAR) {
                rate = doubling ? rate * 2 : rate + settings.most() * INCREASE;
            } else {
                doubling = false;
            }
            rate = Math.min(settings.most(), Math.max(Math.max(1, settings.least()), rate));
            worstDelay = 0;
            worstLoss = 0;
            leastGot = 0;
            heard = false;
        }
        return (long) rate;
    }
}
