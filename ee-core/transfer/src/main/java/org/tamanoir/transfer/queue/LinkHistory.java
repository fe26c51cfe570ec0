package org.tamanoir.transfer.queue;

/**
 * What transfers from one host to another have measured: the octets a second of all that ran there together. Rates are taken as log-normal. The mean follows the
 * last ones; the error is what it was off by, one transfer ahead, each time: so it has in it how fast a link changes. It begins from a guess.
 *
 * @param count transfers
 * @param mean of the logarithms of octets a second
 * @param variance mean square of what the mean was off by
 * @param octets of a transfer, on average
 */
public record LinkHistory(int count, double mean, double variance, double octets) {
    public static final LinkHistory NOTHING = new LinkHistory(0, 0, 0, 0);
    /** Transfers that the mean is of, and the error. */
    private static final int RECENT = 4;
    private static final int MEMORY = 20;
    /** The guess: 30 %, worth so many transfers. */
    private static final double GUESS = 0.3 * 0.3;
    private static final int GUESS_WORTH = 4;

    /** With one transfer more. @param rate octets a second, more than 0 */
    public LinkHistory with(double rate, long size) {
        if (count == 0) {
            return new LinkHistory(1, Math.log(rate), 0, size);
        }
        double off = Math.log(rate) - mean;
        return new LinkHistory(count + 1, mean + off / Math.min(count + 1, RECENT), variance + (off * off - variance) / Math.min(count, MEMORY), octets + (size - octets) / Math.min(count + 1, MEMORY));
    }

    /** Octets a second, in the middle. */
    public double rate() {
        return Math.exp(mean);
    }

    /** How far off the next one is, as a part of it (standard deviation). */
    public double error() {
        return Math.sqrt((GUESS_WORTH * GUESS + errors() * variance) / (GUESS_WORTH + errors()));
    }

    /** Degrees of freedom of {@link #error}. */
    int freedom() {
        return GUESS_WORTH + errors();
    }

    private int errors() {
        return Math.max(0, Math.min(count - 1, MEMORY));
    }
}
