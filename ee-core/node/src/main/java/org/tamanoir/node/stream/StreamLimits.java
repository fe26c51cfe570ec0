package org.tamanoir.node.stream;

import java.time.Duration;

/**
 * What a node allows. Every one of them has a code that says so when it is reached.
 *
 * @param streams          streams at the same time, for TCP and for UDP each
 * @param streamsPerSource streams of one peer, an IPv4 address or an IPv6 network of 64 bits, for TCP and for UDP each
 * @param packetTimeout    for the first packet to arrive whole; where memory is short, for any other too
 * @param idleTimeout      without an octet in either direction
 * @param datagramIdle    without a datagram in either direction, for a UDP stream
 * @param connectTimeout   for the next hop to answer
 * @param parkedDatagrams  datagrams of one stream that wait for a service; the newest stay
 * @param memory           octets that all streams together may retain, by the capacity of the buffers that they lie in
 * @param hops             hops that a packet may take where its source set no limit, 1 to 255
 */
public record StreamLimits(int streams, int streamsPerSource, Duration packetTimeout, Duration idleTimeout, Duration datagramIdle,
                           Duration connectTimeout,
                           int parkedDatagrams, long memory, int hops) {
    public static StreamLimits defaults() {
        return new StreamLimits(4096, 1024, Duration.ofSeconds(10), Duration.ofMinutes(10), Duration.ofSeconds(30), Duration.ofSeconds(5),
                64, 256L << 20, 16);
    }
}
