package org.tamanoir.services.qosmonitoring;

import java.util.ArrayDeque;
import java.util.Random;

/**
 * The way of one class to a reflector and back: a shaper with a token bucket and a queue that other traffic shares, then a delay. The way
 * back is only a delay. Times are nanoseconds, rates octets a second; what is random comes from a seed.
 */
final class VirtualPath {
    static final double MEGABIT = 125_000;
    private static final int CROSS_OCTETS = 1_500;
    private static final double NANOS = 1e9;

    private record Queued(double leaves, int octets) {
    }

    private final Random random;
    private final ArrayDeque<Queued> queue = new ArrayDeque<>();
    private int queued;
    private double tokens;
    private double tokensAt;
    private double lastLeaves;
    private double nextCross;

    double rate = 100 * MEGABIT;
    double line = 1_000 * MEGABIT;
    int bucket = 1_500;
    int queueOctets = 300_000;
    double cross;
    double randomLoss;
    int largest = 65_535;
    long oneWay = 40_000;
    boolean alive = true;
    /** What the reflector's clock is ahead of the sender's. */
    long offset;
    boolean synchronised = true;
    long error = 100_000;
    int arrivesAs = -1;

    VirtualPath(long seed) {
        random = new Random(seed);
    }

    VirtualPath rate(double octets) {
        rate = octets;
        return this;
    }

    /** @return when the packet is at the reflector, or -1 if it is lost */
    long send(long at, int octets) {
        while (cross > 0 && nextCross <= at) {
            offer(Math.max(nextCross, 0), CROSS_OCTETS);
            nextCross += -Math.log(1 - random.nextDouble()) * CROSS_OCTETS / cross * NANOS;
        }
        if (!alive || octets > largest || random.nextDouble() < randomLoss) {
            return -1;
        }
        double leaves = offer(at, octets);
        return leaves < 0 ? -1 : (long) leaves + oneWay;
    }

    /** Other traffic starts now at a rate, or ends. */
    void cross(double octets, long now) {
        cross = octets;
        nextCross = now;
    }

    private double offer(double at, int octets) {
        while (!queue.isEmpty() && queue.peek().leaves <= at) {
            queued -= queue.poll().octets;
        }
        if (queued + octets > queueOctets) {
            return -1;
        }
        double start = Math.max(at, lastLeaves);
        tokens = Math.min(bucket, tokens + (start - tokensAt) * rate / NANOS);
        if (tokens < octets) {
            start += (octets - tokens) / rate * NANOS;
            tokens = octets;
        }
        tokens -= octets;
        tokensAt = start;
        lastLeaves = start + octets / line * NANOS;
        queue.add(new Queued(lastLeaves, octets));
        queued += octets;
        return lastLeaves;
    }
}
