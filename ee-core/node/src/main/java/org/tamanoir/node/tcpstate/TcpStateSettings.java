package org.tamanoir.node.tcpstate;

import java.time.Duration;

/**
 * How often the TCP state of streams is read.
 *
 * @param sample     whether it is read at all
 * @param period     of a stream that carries little
 * @param fastPeriod of one that carries much
 * @param fastRate   bits a second from which on that is much
 * @param reads      connections that an event loop asks for in a second at most
 * @param memory     octets that what is kept may take, all streams together
 */
public record TcpStateSettings(boolean sample, Duration period, Duration fastPeriod, long fastRate, int reads, long memory) {
    public static final TcpStateSettings PRESET = new TcpStateSettings(true, Duration.ofSeconds(1), Duration.ofMillis(100), 1_000_000, 20_000, 64L << 20);

    /** No sampling. */
    public static final TcpStateSettings OFF = new TcpStateSettings(false, PRESET.period, PRESET.fastPeriod, PRESET.fastRate, PRESET.reads, PRESET.memory);
}
