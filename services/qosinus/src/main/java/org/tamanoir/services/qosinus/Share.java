package org.tamanoir.services.qosinus;

import java.util.List;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosDecision.Candidate;

/**
 * How much a flow that has to be there in time can get at most, and asks for.
 *
 * @param className of the class that carries most; null if there is none
 * @param most      octets a second; {@link Long#MAX_VALUE} if nobody knows how much that class carries
 */
record Share(String className, long most) {
    private static final double MEGABIT = 125_000;

    /** The class that carries most of one flow: what is left of a guarantee, or what was measured where there is none. */
    static Share most(Transport transport, List<Candidate> candidates) {
        Share best = new Share(null, 0);
        for (Candidate each : candidates) {
            long carries = each.qosClass().takes(transport) ? Math.min(each.available(), measured(each.sample(), transport)) : -1;
            if (carries > best.most || best.className == null && carries >= 0) {
                best = new Share(each.qosClass().name(), carries);
            }
        }
        return best;
    }

    /**
     * The share to ask for. Where no class has room for all of it, what is left of one is better than none, if it is more than classes
     * without guarantee are known to carry.
     */
    static long of(long needed, Transport transport, List<Candidate> candidates) {
        long left = 0;
        long otherwise = 0;
        for (Candidate each : candidates) {
            if (each.qosClass().takes(transport)) {
                if (each.qosClass().isProvisioned()) {
                    left = Math.max(left, each.available());
                } else {
                    long measured = measured(each.sample(), transport);
                    otherwise = Math.max(otherwise, measured == Long.MAX_VALUE ? needed / 2 : measured);
                }
            }
        }
        return left < needed && left > otherwise ? left : needed;
    }

    private static long measured(ClassSample sample, Transport transport) {
        double mbps = sample == null ? Double.NaN : transport == Transport.TCP ? sample.tcpMbps() : sample.udpMbps();
        return mbps >= 0 ? (long) (mbps * MEGABIT) : Long.MAX_VALUE;
    }
}
