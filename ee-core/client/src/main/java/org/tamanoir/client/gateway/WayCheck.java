package org.tamanoir.client.gateway;

import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.client.StreamRefusedException;
import org.tamanoir.client.wire.NodeConnection;
import org.tamanoir.client.wire.NodeConnections;
import org.tamanoir.client.wire.Packetizer;

/**
 * A stream without a payload, to hear whether the nodes refuse it: the node is dead, the service is missing, no route leads to the
 * destination. The destination sees a connection that ends at once. What only breaks says nothing: some servers reset such a connection.
 */
final class WayCheck implements NodeConnection.Stream {
    /** After that the stream is given up: the server behind the nodes does not end connections that end. */
    private static final long LONGEST_SECONDS = 10;

    private final CompletableFuture<AnepException> result = new CompletableFuture<>();
    private NodeConnection node;
    private boolean finished;
    private boolean ended;
    private boolean over;

    /** Starts a check. Its result is why the way is closed, or null if nobody says so. */
    static CompletableFuture<AnepException> start(NodeConnections connections, EventLoop loop, Packetizer packets) {
        WayCheck check = new WayCheck();
        connections.connect(node -> check.open(node, packets), check.result::complete);
        loop.schedule(() -> check.onFailure(null), LONGEST_SECONDS, TimeUnit.SECONDS);
        return check.result;
    }

    private void open(NodeConnection connection, Packetizer packets) {
        if (over) {
            connection.reset();
            return;
        }
        node = connection;
        node.begin(this);
        node.write(packets.opening(node.allocator()));
        node.finish().addListener((ChannelFuture done) -> {
            finished = done.isSuccess();
            if (finished) {
                endIfBothHave();
            } else {
                node.onWriteFailure();
            }
        });
        node.read();
    }

    @Override
    public void onPacket(Packet packet) {
        StreamRefusedException refusal = StreamRefusedException.in(packet);
        if (refusal != null) {
            onFailure(refusal);
        }
    }

    @Override
    public void onReadComplete() {
        if (!over) {
            node.read();
        }
    }

    @Override
    public void onEnd() {
        ended = true;
        endIfBothHave();
    }

    private void endIfBothHave() {
        if (finished && ended && !over) {
            over = true;
            node.release();
            result.complete(null);
        }
    }

    @Override
    public void onUnseen() {
        // Not on a new connection.
        onFailure(null);
    }

    @Override
    public void onFailure(AnepException failure) {
        if (!over) {
            over = true;
            if (node != null) {
                node.reset();
            }
            result.complete(failure == null || failure.code() == ErrorCode.CONNECTION_LOST ? null : failure);
        }
    }
}
