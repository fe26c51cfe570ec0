package org.tamanoir.benchmarks.attack;

import java.util.Locale;
import java.util.function.Function;

/** What can be done to a node. */
public enum AttackKind {
    /** 4,096 streams whose receivers do not read, and whose senders go on sending. */
    STALLED_STREAMS(TcpAttacks.StalledStreams::new),
    /** 2,100 connections, each in the middle of a packet of which an octet comes each 200 ms. */
    PARTIAL_PACKETS(TcpAttacks.PartialPackets::new),
    /** 25 UDP streams that want through a link of 1 Mbit/s. Needs root. */
    SLOW_LINK(UdpAttacks.SlowLink::new),
    /** A heavy service that makes ten packets of 8 KB of one of 64 octets, for a receiver that does not read. */
    HEAVY_SERVICE(TcpAttacks.HeavyService::new),
    /** 10,000 streams that are open and silent, or as many as this machine lets a process open. */
    IDLE_STREAMS(quick -> new TcpAttacks.IdleStreams()),
    /** 4,096 UDP streams of four addresses, kept alive by 200 datagrams a second, while others open TCP streams. */
    STRANGER(quick -> new UdpAttacks.Stranger()),
    /** A node that stands still for a minute under downloads. */
    STOPPED_NODE(StoppedNode::new),
    /** 1,000 connections that begin TLS and say no more, beside an open stream. */
    HALF_OPEN_HANDSHAKES(Disturbance.HalfOpenHandshakes::new),
    /** 10,000 streams whose tokens are no good, beside an open stream. */
    REFUSED_TOKENS(Disturbance.RefusedTokens::new);

    private final Function<Boolean, Attack> attack;

    AttackKind(Function<Boolean, Attack> attack) {
        this.attack = attack;
    }

    Attack attack(boolean quick) {
        return attack.apply(quick);
    }

    /** Whether it measures the delay of an open stream, and not the rate of a busy one. */
    boolean isDisturbance() {
        return this == HALF_OPEN_HANDSHAKES || this == REFUSED_TOKENS;
    }

    /** As options and results name it: {@code slow-link}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
