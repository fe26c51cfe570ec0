package org.tamanoir.paths.hosttune;

import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What a flow gets.
 *
 * @param congestion the name of a congestion control: {@value #WAD}, one of the kernel's own, or null to leave it as it is
 * @param wad        the numbers of {@value #WAD}; null for others
 * @param pacing     bits a second; 0 leaves it as it is
 */
public record Treatment(String congestion, Wad wad, long pacing) {
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

    /** a (2 - b) / (2 b) of Reno: 1 * 1.5 / 1. */
    private static final double RENO_CONSTANT = 1.5;

    /** @throws AnepException EE-501 if it does nothing, or does not fit together */
    public Treatment {
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
        String name = wad == null ? congestion : congestion + " (ai " + wad.ai + ", md " + wad.md + ", max-ssthresh " + wad.maxSsthresh + ")";
        return rate.isEmpty() ? name : name + ", " + rate;
    }
}
