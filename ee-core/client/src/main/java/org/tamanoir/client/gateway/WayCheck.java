package org.tamanoir.client.gateway;

import io.netty.channel.ChannelFuture;
import java.util.concurrent.CompletableFuture;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.client.StreamRefusedException;
import org.tamanoir.client.wire.NodeConnection;
import org.tamanoir.client.wire.NodeConnections;
import org.tamanoir.client.wire.Packetizer;

/**
 * A stream without a payload, to hear whether nodes, services and destination take it: the last node says so when the destination has
 * accepted, and any of them why not. The destination sees a connection that ends at once.
 */
final class WayCheck implements NodeConnection.Stream {
    private final CompletableFuture<AnepException> result;
    private final boolean mayRefuse;
    private NodeConnection node;

    private WayCheck(boolean mayRefuse, CompletableFuture<AnepException> result) {
        this.mayRefuse = mayRefuse;
        this.result = result;
    }

    /**
     * Starts a check. On the loop.
     *
     * @param packets   null if only the node is asked whether it accepts a connection
     * @param mayRefuse whether it is enough that the destination's host answers: on its ports servers come and go
     * @param result    why the way is closed, or null; whoever completes it first ends the check
     */
    static void start(NodeConnections connections, Packetizer packets, boolean mayRefuse, CompletableFuture<AnepException> result) {
        WayCheck check = new WayCheck(mayRefuse, result);
        connections.connect(node -> check.open(node, packets), result::complete);
    }

    private void open(NodeConnection connection, Packetizer packets) {
        node = connection;
        node.begin(this);
        // Whoever waits may have given up meanwhile, or will.
        result.thenAccept(why -> node.loop().execute(why == null ? node::retire : node::reset));
        if (packets == null) {
            over(null);
            return;
        }
        node.write(packets.askConnected().opening(node.allocator()));
        node.finish().addListener((ChannelFuture done) -> {
            if (!done.isSuccess()) {
                node.onWriteFailure();
            }
        });
        node.read();
    }

    @Override
    public void onPacket(Packet packet) {
        StreamRefusedException refusal = StreamRefusedException.in(packet);
        over(refusal != null && mayRefuse && refusal.code() == ErrorCode.DESTINATION_REFUSED ? null : refusal);
    }

    @Override
    public void onReadComplete() {
        if (!result.isDone()) {
            node.read();
        }
    }

    @Override
    public void onEnd() {
        over(new AnepException(ErrorCode.CONNECTION_LOST, "the nodes ended the stream, and did not say that the destination has accepted"));
    }

    @Override
    public void onUnseen() {
        // Not on a new connection.
    }

    @Override
    public void onFailure(AnepException failure) {
        over(failure);
    }

    private void over(AnepException why) {
        result.complete(why);
    }
}
