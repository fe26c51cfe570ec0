package org.tamanoir.node.transport;

import java.util.ArrayList;
import java.util.List;

/**
 * How the kernel is to treat one TCP connection; what is not said stays as the kernel has it.
 *
 * @param congestion    name of the algorithm; null for the kernel's default
 * @param pacing        octets a second that leave at most; 0 for no such limit
 * @param sendBuffer    octets of SO_SNDBUF; 0 for a buffer that the kernel sizes by itself
 * @param receiveBuffer the same of SO_RCVBUF
 */
public record SocketTuning(String congestion, long pacing, int sendBuffer, int receiveBuffer) {
    /** As the kernel has it. */
    public static final SocketTuning NONE = new SocketTuning(null, 0, 0, 0);

    /**
     * Why the kernel would not do this for this program, by the same calls on a socket of its own.
     *
     * @return null if it would
     */
    public String problem() {
        return ConnectionOptions.problem(this);
    }

    /** In words: {@code bbr, paced to 50 Mbit/s}. */
    @Override
    public String toString() {
        List<String> words = new ArrayList<>();
        if (congestion != null) {
            words.add(congestion);
        }
        if (pacing > 0) {
            words.add("paced to " + rate(8.0 * pacing));
        }
        if (sendBuffer > 0) {
            words.add("send buffer " + sendBuffer);
        }
        if (receiveBuffer > 0) {
            words.add("receive buffer " + receiveBuffer);
        }
        return words.isEmpty() ? "as the kernel has it" : String.join(", ", words);
    }

    private static String rate(double bits) {
        double mega = Math.round(bits / 1e4) / 1e2;
        return (mega == Math.rint(mega) ? String.valueOf((long) mega) : String.valueOf(mega)) + " Mbit/s";
    }
}
