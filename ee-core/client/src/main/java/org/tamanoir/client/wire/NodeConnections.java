package org.tamanoir.client.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.KeptConnections;
import org.tamanoir.anep.KeptConnections.Turn;

/** The connections from one event loop to a node, or to others where that one cannot be reached; new and kept. On that loop only. */
public final class NodeConnections {
    private final EventLoop loop;
    private final List<InetSocketAddress> nodes;
    private final NodeTls tls;
    private final Duration connectTimeout;
    private final Bootstrap bootstrap;
    private final KeptConnections<NodeConnection> kept;
    private boolean sweeping;
    private boolean closed;

    /**
     * None yet.
     *
     * @param nodes   tried in their order; all but the last one for a second at most
     * @param tls     null for connections in the clear
     * @param longest how long a connection is kept without a stream
     * @param water   octets that may wait to be sent on a connection
     */
    public NodeConnections(EventLoop loop, List<InetSocketAddress> nodes, NodeTls tls, Duration connectTimeout, Duration longest, WriteBufferWaterMark water) {
        this.kept = new KeptConnections<>(longest.toNanos());
        this.loop = loop;
        this.nodes = nodes;
        this.tls = tls;
        this.connectTimeout = connectTimeout;
        this.bootstrap = EventLoops.tcp(loop)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, water);
    }

    /** A connection that the node has said it takes another stream on, or null. */
    public NodeConnection idle() {
        Turn<NodeConnection> turn = kept.take(System.nanoTime());
        return turn == null ? null : turn.connection();
    }

    /** Connects; one of the two is called on the loop, later. */
    public void connect(Consumer<NodeConnection> connected, Consumer<AnepException> failed) {
        NodeTls.connect(bootstrap, nodes, tls, connectTimeout, channel -> connected.accept(new NodeConnection(channel, this, tls != null)), failed);
    }

    boolean keep(Turn<NodeConnection> turn) {
        if (closed || !kept.keep(turn, System.nanoTime())) {
            return false;
        }
        sweepLater();
        return true;
    }

    void remove(Turn<NodeConnection> turn) {
        kept.remove(turn);
    }

    private void sweepLater() {
        long delay = kept.nextExpiry(System.nanoTime());
        if (!sweeping && delay >= 0) {
            sweeping = true;
            loop.schedule(() -> {
                sweeping = false;
                kept.expired(System.nanoTime()).forEach(turn -> turn.connection().retire());
                sweepLater();
            }, delay, TimeUnit.NANOSECONDS);
        }
    }

    /** Connections that wait for a stream. */
    public int ready() {
        return kept.ready();
    }

    /** Closes what is kept and keeps no more. */
    public void close() {
        closed = true;
        kept.clear().forEach(turn -> turn.connection().retire());
    }
}
