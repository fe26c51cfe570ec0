package org.tamanoir.service.tcp;

import java.net.InetSocketAddress;

/**
 * One of the two connections of a stream at one moment. All of {@code struct tcp_info} (Linux, {@code include/uapi/linux/tcp.h}) is there by
 * {@link #field}; the other methods name what is asked for most. Counters begin with the connection, which may have carried another stream before.
 * All of them are -1 where the kernel does not know the field.
 */
public interface TcpConnection {
    /** What the kernel writes as its shortest round trip before it has one. */
    long NEVER_MEASURED = 0xFFFF_FFFFL;

    /** Who is at the other end. */
    InetSocketAddress peer();

    /**
     * A field.
     *
     * @param name as the kernel has it, without {@code tcpi_}, such as {@code snd_ssthresh}
     * @return -1 if the kernel does not know it
     */
    long field(String name);

    /** Of what the node sends, smoothed. */
    default long roundTripMicros() {
        return field("rtt");
    }

    /** The shortest lately; -1 also while none was measured. */
    default long leastRoundTripMicros() {
        long least = field("min_rtt");
        return least == NEVER_MEASURED ? -1 : least;
    }

    /** Octets of a segment that the node sends. */
    default long segmentOctets() {
        return field("snd_mss");
    }

    /** Segments. */
    default long congestionWindow() {
        return field("snd_cwnd");
    }

    /** Octets that the peer has room for. */
    default long peerWindow() {
        return field("snd_wnd");
    }

    /** Segments that are under way. */
    default long unacknowledged() {
        return field("unacked");
    }

    /** Octets that wait in the socket. */
    default long unsent() {
        return field("notsent_bytes");
    }

    /** Octets that the node has sent, those that it has sent again included. */
    default long octetsSent() {
        return field("bytes_sent");
    }

    /** Octets that the node has sent again. */
    default long octetsSentAgain() {
        return field("bytes_retrans");
    }

    /** Segments that the node has sent again. */
    default long retransmissions() {
        return field("total_retrans");
    }

    /** Segments that have arrived at the peer. */
    default long delivered() {
        return field("delivered");
    }

    /** Octets a second that arrived at the peer when this was measured last. */
    default long deliveryRate() {
        return field("delivery_rate");
    }

    /** Segments that came before one that was to come first: lost on the way to the node, or overtaken. */
    default long outOfOrder() {
        return field("rcv_ooopack");
    }

    /** Time in which data were under way. */
    default long busyMicros() {
        return field("busy_time");
    }

    /** The part of it in which the peer's window held them up. */
    default long limitedByPeerMicros() {
        return field("rwnd_limited");
    }

    /** The part of it in which the node's send buffer was too small. */
    default long limitedByBufferMicros() {
        return field("sndbuf_limited");
    }
}
