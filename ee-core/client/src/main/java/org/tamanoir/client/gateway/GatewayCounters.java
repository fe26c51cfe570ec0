package org.tamanoir.client.gateway;

import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.wire.EventLoops;

/** What a gateway or an endpoint has done so far, and what went wrong last. */
public final class GatewayCounters {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayCounters.class);

    private final LongAdder connections = new LongAdder();
    private final LongAdder reused = new LongAdder();
    private final LongAdder aborted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder broken = new LongAdder();
    private final LongAdder toNode = new LongAdder();
    private final LongAdder toProgram = new LongAdder();
    private volatile Failure last;

    /** What went wrong, with whose connection (null: with none, but the check at the start), and when. */
    public record Failure(AnepException reason, InetSocketAddress program, Instant at) {
    }

    GatewayCounters() {
    }

    void connection() {
        connections.increment();
    }

    /** A stream has failed: counts it and says why. */
    void broken(InetSocketAddress program, AnepException reason) {
        broken.increment();
        last = new Failure(reason, program, Instant.now());
        LOG.warn("connection from {} reset: {}", EventLoops.text(program), reason.getMessage());
    }

    void reusedConnection() {
        reused.increment();
    }

    /** A program has given its connection up: nothing to mend here. */
    void aborted(InetSocketAddress program, AnepException reason) {
        aborted.increment();
        LOG.debug("connection from {} given up by its program: {}", EventLoops.text(program), reason.getMessage());
    }

    void closedWay(AnepException reason) {
        last = new Failure(reason, null, Instant.now());
    }

    /** A proxy does not do what a program asks for. */
    void refused(InetSocketAddress program, AnepException reason) {
        refused.increment();
        last = new Failure(reason, program, Instant.now());
        LOG.warn("request from {} refused: {}", EventLoops.text(program), reason.getMessage());
    }

    /** Why the stream failed that failed last, or null. */
    public AnepException lastFailure() {
        Failure failure = last;
        return failure == null ? null : failure.reason();
    }

    /** The same, with whose it was; null if nothing has failed. */
    public Failure last() {
        return last;
    }

    /** Requests to a proxy that it has refused by itself. */
    public long refused() {
        return refused.sum();
    }

    void toNode(int octets) {
        toNode.add(octets);
    }

    void toProgram(int octets) {
        toProgram.add(octets);
    }

    /** Connections accepted. */
    public long connections() {
        return connections.sum();
    }

    /** Those of them whose stream used a connection to the node that had carried another one before. */
    public long reused() {
        return reused.sum();
    }

    /** Connections that their programs gave up before both sides had finished. */
    public long aborted() {
        return aborted.sum();
    }

    /** Connections that were reset: refused by a node, lost, or cut when the gateway stopped. */
    public long broken() {
        return broken.sum();
    }

    /** Octets read from programs. */
    public long octetsToNode() {
        return toNode.sum();
    }

    /** Octets of payload that came back for programs. */
    public long octetsToProgram() {
        return toProgram.sum();
    }
}
