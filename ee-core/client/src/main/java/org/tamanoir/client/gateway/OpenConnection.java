package org.tamanoir.client.gateway;

import java.net.InetSocketAddress;

/** A connection that is open, for whoever asks what a gateway or an endpoint is doing. Written on its event loop, read by any thread. */
public final class OpenConnection {
    private final GatewayCounters counters;
    private final InetSocketAddress from;
    private final long began = System.nanoTime();
    private volatile State state = State.ASKING;
    private volatile InetSocketAddress to;
    private volatile InetSocketAddress by;
    private volatile long toNode;
    private volatile long toProgram;

    /** How far it is. */
    public enum State {
        /** Its program has not said where it wants to go, or the name that it said is being looked up. */
        ASKING,
        /** The node has not accepted yet, nor the destination where that is waited for. */
        OPENING,
        OPEN,
        /** The program, or at an endpoint the server, has sent its last octet; the other side has not. */
        PROGRAM_ENDED,
        /** The other way round. */
        FAR_END_ENDED
    }

    OpenConnection(GatewayCounters counters, InetSocketAddress from) {
        this.counters = counters;
        this.from = from;
    }

    // On the loop.

    /** It is known where it leads. */
    OpenConnection leadsTo(InetSocketAddress destination) {
        to = destination;
        state = State.OPENING;
        return this;
    }

    void by(InetSocketAddress node) {
        by = node;
    }

    void is(State now) {
        state = now;
    }

    void toNode(int octets) {
        toNode += octets;
        counters.toNode(octets);
    }

    void toProgram(int octets) {
        toProgram += octets;
        counters.toProgram(octets);
    }

    // Any thread.

    /** Whose it is; null at an endpoint, which nodes connect to. */
    public InetSocketAddress from() {
        return from;
    }

    /** Where it leads; null while nobody has said. */
    public InetSocketAddress to() {
        return to;
    }

    /** The node that its octets go to and come from, of a session the one that they went by last; null before there is one. */
    public InetSocketAddress by() {
        return by;
    }

    public State state() {
        return state;
    }

    long began() {
        return began;
    }

    public long ageNanos() {
        return System.nanoTime() - began;
    }

    /** Octets of its program, or at an endpoint of its server. */
    public long octetsToNode() {
        return toNode;
    }

    /** Octets for it. */
    public long octetsToProgram() {
        return toProgram;
    }
}
