package org.tamanoir.services.interest;

import io.netty.buffer.ByteBuf;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.connection.Connection;
import org.tamanoir.service.connection.ConnectionHandler;
import org.tamanoir.service.connection.Connections.Remote;
import org.tamanoir.interest.wire.Frames;

/** This node's connection toward the root; one that is lost is followed by another. */
final class UpLink extends Link implements ConnectionHandler {
    private final InetSocketAddress root;
    private final Connection connection;
    private boolean over;

    /** @throws AnepException what opening a connection throws */
    UpLink(Space space, ServiceContext service, InetSocketAddress root) {
        super(space);
        this.root = root;
        this.connection = service.connections().open(Remote.node(root.getHostString(), root.getPort()), this);
        say(Frames.hello());
    }

    @Override
    String name() {
        return NetUtil.toSocketAddressString(root);
    }

    @Override
    void flush() {
        synchronized (outbox) {
            while (connection.isWritable()) {
                ByteBuf piece = outbox.take();
                if (piece == null) {
                    return;
                }
                connection.write(piece);
            }
        }
    }

    @Override
    public void onWritable(Connection ready) {
        flush();
    }

    @Override
    public void onOctets(Connection from, ByteBuf octets) {
        try {
            space.turn(() -> take(octets));
        } catch (AnepException e) {
            space.warn("{} says what this node does not take: {}", name(), e.getMessage());
            from.abort();
        }
    }

    @Override
    void special(int kind, ByteBuf in, int body, int end) {
        if (kind == Frames.TOLD && neighbour != null) {
            Frames.check(body == end, kind, end - body);
            space.told();
            return;
        }
        if (kind != Frames.PATH) {
            super.special(kind, in, body, end);
        }
        int nodes = (end - body) / Long.BYTES;
        Frames.check(nodes > 0 && (end - body) % Long.BYTES == 0, kind, end - body);
        long[] path = new long[nodes];
        for (int i = 0; i < nodes; i++) {
            path[i] = in.getLong(body + i * Long.BYTES);
            if (path[i] == space.id() || nodes >= Frames.DEEPEST) {
                throw new AnepException(ErrorCode.HOPS_EXHAUSTED, "the way to " + name() + " leads back to this node, or over more than " + Frames.DEEPEST + " nodes");
            }
        }
        space.above(this, path);
    }

    @Override
    void cut(AnepException why) {
        connection.abort();
    }

    @Override
    public void onEnd(Connection from) {
        from.abort();
    }

    @Override
    public void onClosed(Connection gone, AnepException why) {
        if (!over) {
            over = true;
            space.turn(() -> space.lost(this, why));
        }
    }
}
