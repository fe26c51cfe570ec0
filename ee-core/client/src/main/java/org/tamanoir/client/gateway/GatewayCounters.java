package org.tamanoir.client.gateway;

import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
    private final Set<OpenConnection> open = ConcurrentHashMap.newKeySet();
    private final FailureLog failures = new FailureLog();
    private volatile Failure last;

    /** What went wrong, with whose connection (null: with none, but the check at the start), and when. */
    public record Failure(AnepException reason, InetSocketAddress program, Instant at) {
    }

    GatewayCounters() {
    }

    /** One more; {@link #closed} must follow. @param program null at an endpoint */
    OpenConnection opened(InetSocketAddress program) {
        connections.increment();
        OpenConnection connection = new OpenConnection(this, program);
        open.add(connection);
        return connection;
    }

    void closed(OpenConnection connection) {
        open.remove(connection);
    }

    /** Connections that are open, the oldest first, and no more than so many. */
    public List<OpenConnection> openConnections(int most) {
        return open.stream().sorted(Comparator.comparingLong(OpenConnection::began)).limit(most).toList();
    }

    /** A stream has failed: counts it and says why. */
    void broken(InetSocketAddress program, AnepException reason) {
        broken.increment();
        last = new Failure(reason, program, Instant.now());
        warn("connection from {} reset: {}{}", program, reason);
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
        warn("request from {} refused: {}{}", program, reason);
    }

    private void warn(String text, InetSocketAddress program, AnepException reason) {
        long before = failures.add(reason.code(), System.nanoTime());
        if (before != FailureLog.SILENT) {
            LOG.warn(text, EventLoops.text(program), reason.getMessage(), before == 0 ? "" : "; " + before + " more have failed by " + reason.code() + " since that was last said");
        }
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
