package org.tamanoir.transfer.queue;

/**
 * When a transfer that has to be there by a time, or needs a rate, asks for more of the network than what is left over by others: it begins with that, and asks when
 * it has been too slow for a while. What it has asked for it keeps. Without clock or I/O.
 */
public final class Need {
    /** Looks, one a second, at each of which it was too slow. */
    private static final int PATIENCE = 5;
    /** More than it needs on average, since nothing goes evenly. */
    private static final double MARGIN = 1.15;
    /** What is hardly more than it has asked for is not asked for. */
    private static final double MORE = 1.05;
    private static final long LEAST_MILLIS = 1_000;

    private int slow;
    private long asked;

    /**
     * Looks at it.
     *
     * @param left octets that it has to go
     * @param rate octets a second that it goes at
     * @param now milliseconds since 1970
     * @return octets a second to ask for from now on; 0 if nothing more is to be asked for
     */
    public long look(TransferRequest request, long left, double rate, long now) {
        long needed = request.rate();
        if (request.by() > now && left > 0) {
            needed = Math.max(needed, left * 1_000 / Math.max(LEAST_MILLIS, request.by() - now));
        }
        slow = rate < needed ? slow + 1 : 0;
        long more = (long) (needed * MARGIN);
        if (slow < PATIENCE || more <= asked * MORE) {
            return 0;
        }
        slow = 0;
        asked = more;
        return more;
    }
}
