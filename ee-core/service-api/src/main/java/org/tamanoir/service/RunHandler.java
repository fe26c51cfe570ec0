package org.tamanoir.service;

import org.tamanoir.anep.Packet;

/**
 * A handler that is given the packets that came together in one call, for work whose cost lies in the call rather than in the packet (code in
 * a sandbox, a library behind JNI), or that need not look at each of them. {@link #onPacket} and {@link #onReturn} are never called for it.
 *
 * <pre>{@code
 * public void onRun(Run run, Output out) {
 *     for (int i = 0; i < run.count(); i++) {
 *         octets += run.packet(i).payloadLength();       // PASS, unless run.verdict(i, ...) says otherwise
 *     }
 * }
 * }</pre>
 *
 * <p>If a call throws, what it has not {@linkplain Run#settle settled} is treated as the policy of the service says.
 */
public interface RunHandler extends StreamHandler {
    /** Packets on their way to the destination. */
    void onRun(Run run, Output out) throws Exception;

    /** Packets on their way back to the source; they pass unless this is overridden. */
    default void onReturnRun(Run run, Output out) throws Exception {
    }

    /**
     * Whether packets that the node finds one by one wait until the read is over, so that a call is given more of them. A handler whose calls
     * cost little says false: it is given such a packet at once, as a run of one, and nothing has to be kept for it. A datagram that is kept costs more than its octets: it holds the
     * buffer that the loop reads into, which takes another one meanwhile. Asked when the stream begins.
     */
    default boolean gathers() {
        return true;
    }

    @Override
    default Verdict onPacket(Packet packet, Output out) {
        throw new UnsupportedOperationException("it takes runs of packets");
    }
}
