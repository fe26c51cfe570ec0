package org.tamanoir.node.stream;

import java.time.Duration;

/**
 * What a node allows. Every one of them has a code that says so when it is reached.
 *
 * @param streams          streams at the same time
 * @param streamsPerSource streams of one source address
 * @param packetTimeout    for a packet to arrive whole, the first one included
 * @param idleTimeout      without an octet in either direction
 * @param datagramIdle    without a datagram in either direction, for a UDP stream
 * @param connectTimeout   for the next hop to answer
 * @param parkedBytes      octets that wait for services, all streams together
 * @param parkedDatagrams  datagrams of one stream that wait for a service; the newest stay
 * @param bufferedBytes    octets that wait for slow receivers, all streams together; shared out between the streams
 * @param hops             hops that a packet may take where its source set no limit, 1 to 255
 */
public record StreamLimits(int streams, int streamsPerSource, Duration packetTimeout, Duration idleTimeout, Duration datagramIdle,
                           Duration connectTimeout,
                           long parkedBytes, int parkedDatagrams, long bufferedBytes, int hops) {
    private static final long LEAST_PENDING = 64 * 1024;
    private static final long MOST_PENDING = 1024 * 1024;

    public static StreamLimits defaults() {
        return new StreamLimits(4096, 1024, Duration.ofSeconds(10), Duration.ofMinutes(10), Duration.ofSeconds(30), Duration.ofSeconds(5),
                64L << 20, 64, 256L << 20, 16);
    }

    /** Octets that may wait on one leg when there are so many streams. */
    int pending(int streams) {
        return (int) Math.max(LEAST_PENDING, Math.min(MOST_PENDING, bufferedBytes / Math.max(1, 2 * streams)));
    }
}
