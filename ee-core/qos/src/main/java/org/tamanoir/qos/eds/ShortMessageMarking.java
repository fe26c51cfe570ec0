package org.tamanoir.qos.eds;

/**
 * SM-TP (DataTAG D2.2, section 4.3.2): a message of up to {@link #MOST_PACKETS} packets goes at once, in the class that loses most and is quickest; what is lost goes
 * again in the one that loses least. Without a loss that is one round trip. At high load the burst is what is dropped.
 *
 * @param classes how many there are
 */
public record ShortMessageMarking(int classes) implements Marking {
    public static final int MOST_PACKETS = 4;

    @Override
    public int first() {
        return 0;
    }

    @Override
    public int again() {
        return classes - 1;
    }

    @Override
    public boolean tellsOf(int missing, int answered) {
        return answered >= missing;
    }
}
