package org.tamanoir.client;

/** A token bucket: says how long to wait before the next octets may leave. Takes the time as an argument and keeps none itself. */
final class Pacer {
    /** What may leave at once after a pause, in nanoseconds of the rate: longer than a timer is late. */
    private static final long BURST_NANOS = 5_000_000;

    private final double nanosPerOctet;
    private long nextNanos;
    private boolean started;

    /** @param bitsPerSecond at least 1 */
    Pacer(long bitsPerSecond) {
        this.nanosPerOctet = 8e9 / bitsPerSecond;
    }

    /** Nanoseconds until octets may leave; 0 for now. */
    long waitNanos(long now) {
        if (!started || nextNanos < now - BURST_NANOS) {
            started = true;
            nextNanos = now - BURST_NANOS;
        }
        return Math.max(0, nextNanos - now);
    }

    /** Octets have left. */
    void sent(int octets) {
        nextNanos += (long) (octets * nanosPerOctet);
    }
}
