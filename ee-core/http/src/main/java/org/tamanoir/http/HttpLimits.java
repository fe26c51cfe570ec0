package org.tamanoir.http;

import java.time.Duration;

/**
 * What one server gives away at most. Sizes are in octets.
 *
 * @param connections open connections; one more is answered with 503 and closed
 * @param connectionsOfPeer open connections from one address, so that one peer cannot take them all
 * @param headerOctets all header fields of a request together (431 beyond)
 * @param lineOctets the request line (414 beyond)
 * @param bodyOctets a body that is kept in memory, unless its route allows another size (413 beyond)
 * @param bodyMemory all bodies in memory together; a request beyond is answered with 503
 * @param idle from the end of one request (or from the connection's start) to the last octet of the next request's header, and between
 *     two signs of progress while a response is sent
 * @param bodyGrace time for a body of any size; on top of it a body must come with {@link #bodyRate} (408 otherwise)
 * @param bodyRate octets a second that a body must come with after its grace
 * @param lingerOctets what is read and thrown away after a refusal, so that a client that is still sending can read the answer
 * @param linger the longest time for that
 */
public record HttpLimits(int connections, int connectionsOfPeer, int headerOctets, int lineOctets, long bodyOctets, long bodyMemory,
        Duration idle, Duration bodyGrace, long bodyRate, long lingerOctets, Duration linger) {

    /** 1,024 connections (512 a peer), 16 KiB header, 1 MiB body, 32 MiB of bodies, 30 s idle, 10 s and 16 KiB/s for a body. */
    public static final HttpLimits DEFAULTS = new HttpLimits(1024, 512, 16 << 10, 4 << 10, 1 << 20, 32 << 20, Duration.ofSeconds(30),
            Duration.ofSeconds(10), 16 << 10, 256 << 20, Duration.ofSeconds(10));

    public HttpLimits withConnections(int all, int ofPeer) {
        return new HttpLimits(all, ofPeer, headerOctets, lineOctets, bodyOctets, bodyMemory, idle, bodyGrace, bodyRate, lingerOctets,
                linger);
    }

    public HttpLimits withBody(long octets, long memory) {
        return new HttpLimits(connections, connectionsOfPeer, headerOctets, lineOctets, octets, memory, idle, bodyGrace, bodyRate,
                lingerOctets, linger);
    }

    public HttpLimits withTimes(Duration newIdle, Duration newBodyGrace, Duration newLinger) {
        return new HttpLimits(connections, connectionsOfPeer, headerOctets, lineOctets, bodyOctets, bodyMemory, newIdle, newBodyGrace,
                bodyRate, lingerOctets, newLinger);
    }

    /** How often a connection looks at its clock: often enough for the shortest limit, at most once a second. */
    long tickMillis() {
        long shortest = Math.min(idle.toMillis(), Math.min(bodyGrace.toMillis(), linger.toMillis()));
        return Math.max(10, Math.min(1000, shortest / 4));
    }

    /** Nanoseconds in which {@code received} octets of a body must have come. */
    long bodyNanos(long received) {
        return bodyGrace.toNanos() + received * 1_000_000_000L / bodyRate;
    }
}
