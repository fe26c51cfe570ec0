package org.tamanoir.services.monitoring;

/**
 * Inter-arrival jitter by RFC 3550 section 6.4.1: the mean deviation of the difference between the spacing of two packets at the receiver
 * and at the sender, smoothed with a gain of 1/16. The clocks need not agree, only differences count.
 */
final class Jitter {
    private static final double GAIN = 1.0 / 16;

    private boolean begun;
    private long lastReceived;
    private long lastSent;
    private double nanos;

    /** Counts a packet: both times in nanoseconds, each by its own clock. */
    void count(long received, long sent) {
        if (begun) {
            double difference = (double) (received - lastReceived) - (double) (sent - lastSent);
            nanos += GAIN * (Math.abs(difference) - nanos);
        }
        begun = true;
        lastReceived = received;
        lastSent = sent;
    }

    /** The jitter now. */
    double micros() {
        return nanos / 1e3;
    }
}
