package org.tamanoir.kernel;

import java.util.List;
import org.tamanoir.service.rule.Prefix;

/**
 * Which TCP sockets of this host get what; {@code struct tam_tune_rule}.
 *
 * @param number       the caller's, for {@link TunedFlow#rule}; several rules may have the same
 * @param remote       of the other end; null for any
 * @param remotePorts  of the other end
 * @param local        of this end; null for any
 * @param localPorts   of this end
 * @param congestion   the name of an algorithm, at most 15 characters; {@link #WAD} is our own; empty leaves it as it is
 * @param ai           of {@link #WAD}: segments that the window grows by in a round trip, 1 to 1000
 * @param md           of {@link #WAD}: the part by which the window shrinks at a loss, above 0 and below 1, in millionths
 * @param maxSsthresh  of {@link #WAD}: segments, RFC 3742; 0 for slow start as ever
 * @param pacing       octets a second, at most 2^32 - 2; 0 leaves it as it is
 * @param classes      of {@link #WAD}: in which classes packets go; null leaves that as it is
 */
public record TuningRule(int number, Prefix remote, Ports remotePorts, Prefix local, Ports localPorts, String congestion, int ai, double md, int maxSsthresh, long pacing,
        Classes classes) {
    /** {@code TAM_TUNE_WAD}. */
    public static final String WAD = "tam_wad";

    /**
     * Equivalent classes, and the policy by which packets go in them.
     *
     * @param bulk       whether the window after a repair goes in the last class too, and the flow comes back a class in a round trip ({@code TAM_TUNE_BULK})
     * @param base       the class of a flow that has lost nothing, from 0
     * @param codePoints of 2 to {@link #MOST} classes, the quickest first
     */
    public record Classes(boolean bulk, int base, List<Integer> codePoints) {
        /** {@code TAM_TUNE_CLASSES}. */
        public static final int MOST = 6;
    }

    /** Ports, both included: 0 to 65535. */
    public record Ports(int first, int last) {
        public static final Ports ALL = new Ports(0, 65_535);
    }
}
