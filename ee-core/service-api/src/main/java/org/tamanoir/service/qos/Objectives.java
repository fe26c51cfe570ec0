package org.tamanoir.service.qos;

/**
 * What a flow needs, end to end; null where nothing is asked.
 *
 * @param delay  round trip or one way, whichever is measured; milliseconds
 * @param jitter milliseconds
 * @param loss   per cent of packets
 * @param rate   throughput; megabits a second
 */
public record Objectives(Goal delay, Goal jitter, Goal loss, Goal rate) {
    public static final Objectives NONE = new Objectives(null, null, null, null);

    /** Whether nothing is asked. */
    public boolean isEmpty() {
        return delay == null && jitter == null && loss == null && rate == null;
    }
}
