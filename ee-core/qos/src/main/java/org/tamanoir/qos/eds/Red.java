package org.tamanoir.qos.eds;

import java.util.Arrays;
import java.util.List;

/**
 * Random early detection (Floyd and Jacobson, 1993) in the arithmetic of tc: exponents of two. {@code struct eds_red} of {@code eds.h}.
 *
 * @param min            octets of the average queue below which nothing is lost
 * @param max            from which every arrival costs a packet
 * @param weightLog      Wlog: an arrival has the weight 2^-Wlog in the average, 1 to 20
 * @param probabilityLog Plog: the probability grows by 2^-Plog for each octet above min, 0 to 31
 * @param cellLog        Scell_log: an entry of {@code damping} is 2^(Scell_log + 10) nanoseconds, 0 to 31
 * @param damping        by how many powers of two the average falls while the link is idle for so many cells; 256
 */
public record Red(int min, int max, int weightLog, int probabilityLog, int cellLog, List<Integer> damping) {
    static final int DAMPING = 256;
    private static final int MOST_SHIFT = 31;

    /** @throws org.tamanoir.anep.AnepException EE-501 if something is out of its range */
    public Red {
        damping = List.copyOf(damping);
        EdsParameters.check(min >= 0 && min < max && max <= EdsParameters.MOST_LIMIT, "RED's min " + min + " and max " + max + " are not 0 to 2^30, min below");
        EdsParameters.check(weightLog >= 1 && weightLog <= 20 && probabilityLog >= 0 && probabilityLog <= 31 && cellLog >= 0 && cellLog <= 31
                && damping.size() == DAMPING, "an exponent of RED is out of range");
    }

    /**
     * By the names of tc.
     *
     * @param probability of a loss at max, above 0, at most 1; what is used is the next lower power of two
     * @param bandwidth   of the link in bits a second
     * @param packet      octets of an ordinary one (avpkt)
     * @param burst       so many of them pass an empty queue without a loss
     * @throws org.tamanoir.anep.AnepException EE-501 if there are no exponents for it
     */
    public static Red of(int min, int max, double probability, double bandwidth, int packet, int burst) {
        EdsParameters.check(max > min && probability > 0 && probability <= 1 && bandwidth > 0 && packet > 0, "RED needs min below max, and a probability, "
                + "bandwidth and packet above 0");
        double room = burst + 1 - (double) min / packet;
        int weight = 1;
        while (weight <= 20 && room > (1 - Math.pow(1 - Math.pow(2, -weight), burst)) * Math.pow(2, weight)) {
            weight++;
        }
        EdsParameters.check(room >= 1 && weight <= 20, "RED has no weight for a burst of " + burst + ": min is more than one "
                + "packet, and burst more than min / packet");
        int probabilityLog = 0;
        for (double slope = probability / (max - min); slope <= 1; slope *= 2) {
            probabilityLog++;
        }
        // Powers of two that the average falls in a unit of 1024 ns: one weight for each packet that could have been sent. tc leaves out the logarithm of 2.
        double fall = -Math.log(1 - Math.pow(2, -weight)) / Math.log(2) / (packet * 8e6 / (bandwidth / 1e3) / 1024);
        int cell = 0;
        while (cell < 31 && MOST_SHIFT / fall / Math.pow(2, cell) >= 2 * DAMPING) {
            cell++;
        }
        Integer[] damping = new Integer[DAMPING];
        for (int i = 0; i < DAMPING; i++) {
            damping[i] = i < DAMPING - 1 ? (int) Math.min(MOST_SHIFT, i * Math.pow(2, cell) * fall) : MOST_SHIFT;
        }
        return new Red(min, max, weight, probabilityLog, cell, Arrays.asList(damping));
    }
}
