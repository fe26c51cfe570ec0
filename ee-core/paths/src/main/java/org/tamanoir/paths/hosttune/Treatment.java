package org.tamanoir.paths.hosttune;

import java.util.List;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What a flow gets.
 *
 * @param congestion the name of a congestion control: {@value #WAD}, one of the kernel's own, or null to leave it as it is
 * @param wad        the numbers of {@value #WAD}; null for others
 * @param marking    of {@value #WAD}: in which of the equivalent classes packets go; null leaves that as it is
 * @param pacing     bits a second; 0 leaves it as it is
 */
public record Treatment(String congestion, Wad wad, Marking marking, long pacing) {
    /** The one whose numbers a rule gives. */
    public static final String WAD = "wad";
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,14}");
    private static final long LEAST_PACING = 8_000;
    /** The kernel takes octets a second in 32 bits, and the largest of them for no limit. */
    private static final long MOST_PACING = 8L * ((1L << 32) - 2);

    /**
     * Additive increase and multiplicative decrease.
     *
     * @param ai          segments that the window grows by in a round trip; 1 is Reno's
     * @param md          the part by which it shrinks at a loss; 0.5 is Reno's
     * @param maxSsthresh segments from which on slow start is limited (RFC 3742); 0 for slow start as ever
     */
    public record Wad(int ai, double md, int maxSsthresh) {
        public static final Wad RENO = new Wad(1, 0.5, 0);
        private static final int MOST_AI = 100;
        private static final double LEAST_MD = 0.001;
        private static final double MOST_MD = 0.9;
        private static final int LEAST_SSTHRESH = 2;
        private static final int MOST_SSTHRESH = 1_000_000;

        /** @throws AnepException EE-501 if a number is out of its range */
        public Wad {
            if (ai < 1 || ai > MOST_AI) {
                throw bad("ai", "it is " + ai + "; the window grows by 1 to " + MOST_AI + " segments in a round trip");
            }
            if (!(md >= LEAST_MD && md <= MOST_MD)) {
                throw bad("md", "it is " + md + "; the part by which the window shrinks is from " + LEAST_MD + " to " + MOST_MD + ": 0.0125 keeps 0.9875 of it");
            }
            if (maxSsthresh != 0 && (maxSsthresh < LEAST_SSTHRESH || maxSsthresh > MOST_SSTHRESH)) {
                throw bad("max-ssthresh", "it is " + maxSsthresh + "; it is from " + LEAST_SSTHRESH + " to " + MOST_SSTHRESH + " segments, or 0 for slow start as ever");
            }
        }

        /** Seconds until a flow of so many segments a round trip is back at its rate after one loss: md W / ai round trips. */
        public double recoverySeconds(double window, double roundTripSeconds) {
            return md * window / ai * roundTripSeconds;
        }

        /**
         * How many times the share of a Reno flow this one takes where both lose the same part of their packets: the ratio of the windows
         * sqrt(a (2 - b) / (2 b)) / sqrt(p).
         */
        public double sharesOfReno() {
            return Math.sqrt(ai * (2 - md) / (2 * md) / RENO_CONSTANT);
        }
    }

    /** Which packets of a flow go in which class (DataTAG D2.2, section 4.3). */
    public enum Policy {
        /** SM-TP, for messages of a few packets: the repair of a loss goes in the last class, all else in the quickest. */
        MESSAGE,
        /** LM-TP, for transfers: the window after the repair goes in the last class too, and the flow comes back one class a round trip. */
        BULK
    }

    /**
     * Equivalent classes for a flow.
     *
     * @param base       the class of a flow that has lost nothing, from 0
     * @param codePoints of the classes, the quickest first, the one that loses least last
     */
    public record Marking(Policy policy, int base, List<Integer> codePoints) {
        private static final int LEAST = 2;
        private static final int MOST = 6;
        private static final int MOST_CODE_POINT = 63;

        /** @throws AnepException EE-501 if something is out of its range */
        public Marking {
            codePoints = List.copyOf(codePoints);
            if (codePoints.size() < LEAST || codePoints.size() > MOST || codePoints.stream().anyMatch(each -> each < 0 || each > MOST_CODE_POINT)) {
                throw bad("code-points", "they are " + codePoints + "; they are " + LEAST + " to " + MOST + " numbers from 0 to " + MOST_CODE_POINT + ", the quickest class first");
            }
            if (base < 0 || base >= codePoints.size()) {
                throw bad("class", "it is " + (base + 1) + "; it is from 1, the quickest, to " + codePoints.size());
            }
            if (policy == Policy.MESSAGE && base != 0) {
                throw bad("class", "a message begins in class 1, the quickest; only 'marking: bulk' has another");
            }
        }

        @Override
        public String toString() {
            return policy == Policy.BULK ? "LM-TP from class " + (base + 1) + " of " + codePoints.size() : "SM-TP in " + codePoints.size() + " classes";
        }
    }

    /** a (2 - b) / (2 b) of Reno: 1 * 1.5 / 1. */
    private static final double RENO_CONSTANT = 1.5;

    /** @throws AnepException EE-501 if it does nothing, or does not fit together */
    public Treatment {
        if (marking != null && wad == null) {
            throw bad("marking", "it needs 'congestion: wad', which is told of losses before they are repaired");
        }
        if (congestion == null && pacing == 0) {
            throw bad("congestion", "it is missing, and so is 'pacing': the rule does nothing");
        }
        if (congestion != null && !NAME.matcher(congestion).matches()) {
            throw bad("congestion", "'" + congestion + "' is no name such as wad, cubic, bbr or reno");
        }
        if (WAD.equals(congestion) && wad == null) {
            throw bad("congestion", "wad needs 'ai' and 'md', or 'preset: wad-2003' in its place");
        }
        if (!WAD.equals(congestion) && wad != null) {
            throw bad("congestion", (congestion == null ? "it is missing" : congestion + " is the kernel's own") + ", and ai, md and max-ssthresh are of wad alone"
                    + ("bbr".equals(congestion) ? ": bbr goes by what it measures and has no additive increase" : ""));
        }
        if (pacing != 0 && (pacing < LEAST_PACING || pacing > MOST_PACING)) {
            throw bad("pacing", "it is " + pacing + " bits a second; it is from 8k to 34.3G");
        }
    }

    private static AnepException bad(String key, String what) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, key + ": " + what);
    }

    @Override
    public String toString() {
        String rate = pacing == 0 ? "" : "paced to " + pacing + " bit/s";
        if (congestion == null) {
            return rate;
        }
        String name = wad == null ? congestion : congestion + " (ai " + wad.ai + ", md " + wad.md + ", max-ssthresh " + wad.maxSsthresh + ")"
                + (marking == null ? "" : ", " + marking);
        return rate.isEmpty() ? name : name + ", " + rate;
    }
}
