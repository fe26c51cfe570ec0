package org.tamanoir.qos.eds;

/**
 * LM-TP (DataTAG D2.2, section 4.3.3): a transfer that has lost something is protected for a while, since a second loss in the window after it costs a timeout. The
 * retransmission and the next window go in the safest class; then the transfer comes back to its own, one class a round trip. How long it is protected, and how
 * it comes back, is not in the report: that is ours.
 *
 * <p>Packets of quicker classes overtake those of slower ones. So an answer tells of a missing packet only if it is for one in the same class or in a slower one.
 * A transport with RACK (RFC 8985) stands reordering by time, and needs no such rule.
 */
public final class BulkMarking implements Marking {
    private final int base;
    private final int safest;
    private int current;
    private boolean protectedWindow;

    /**
     * @param classes how many there are
     * @param base    the class of a transfer that has lost nothing, from 0
     */
    public BulkMarking(int classes, int base) {
        if (base < 0 || base >= classes) {
            throw new IllegalArgumentException("class " + base + " of " + classes);
        }
        this.base = base;
        safest = classes - 1;
        current = base;
    }

    @Override
    public int first() {
        return current;
    }

    @Override
    public int again() {
        return safest;
    }

    @Override
    public void lost() {
        current = safest;
        protectedWindow = true;
    }

    /** The round trip in which the loss was found is not over when it was found: the one after it is the first whole one. */
    @Override
    public void roundTrip() {
        if (protectedWindow) {
            protectedWindow = false;
        } else if (current > base) {
            current--;
        }
    }

    @Override
    public boolean tellsOf(int missing, int answered) {
        return answered >= missing;
    }
}
