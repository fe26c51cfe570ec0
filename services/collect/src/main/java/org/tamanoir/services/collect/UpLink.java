package org.tamanoir.services.collect;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.collective.Frame;
import org.tamanoir.collective.FrameReader;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.connection.Connection;
import org.tamanoir.service.connection.ConnectionHandler;
import org.tamanoir.service.connection.Connections.Remote;

/** A group's one connection toward its root; the next node on the way that has the service takes it. */
final class UpLink implements ConnectionHandler {
    private final ServiceContext service;
    private final ServiceCounters counters;
    private final NodeGroup group;
    private final InetSocketAddress root;
    private final FrameReader reader = new FrameReader();
    private final Outbox outbox = new Outbox();
    private Connection connection;
    private boolean ends;

    UpLink(ServiceContext service, ServiceCounters counters, NodeGroup group, InetSocketAddress root) {
        this.service = service;
        this.counters = counters;
        this.group = group;
        this.root = root;
    }

    // Under the lock of the group.

    /** @return whether it is full now */
    boolean send(Frame frame) {
        return outbox.add(frame);
    }

    /**
     * Writes what there is room for.
     *
     * @return whether it is not full any more
     * @throws AnepException of the policy, if it may not connect
     */
    boolean flush() {
        if (connection == null && !outbox.isEmpty()) {
            connection = service.connections().open(Remote.node(root.getAddress().getHostAddress(), root.getPort()), this);
        }
        boolean room = false;
        while (connection != null && !outbox.isEmpty() && connection.isWritable()) {
            ByteBuf packet = Unpooled.buffer();
            room |= outbox.write(packet);
            counters.up.increment();
            connection.write(packet);
        }
        if (ends && connection != null && outbox.isEmpty()) {
            connection.finish();
        }
        return room;
    }

    void end() {
        ends = true;
    }

    void pause(boolean paused) {
        if (connection != null) {
            connection.pause(paused);
        }
    }

    void cut() {
        if (connection != null) {
            connection.abort();
        }
    }

    // Among the tasks of the service.

    @Override
    public void onOctets(Connection from, ByteBuf octets) {
        try {
            reader.take(octets, group::receiveFromUp);
        } catch (AnepException e) {
            from.abort();
            group.upGone(e);
        }
    }

    @Override
    public void onWritable(Connection to) {
        group.upWritable();
    }

    @Override
    public void onEnd(Connection from) {
        group.upGone(new AnepException(ErrorCode.CONNECTION_LOST, "the node above has ended it"));
        from.finish();
    }

    @Override
    public void onClosed(Connection gone, AnepException why) {
        group.upGone(why != null ? why : new AnepException(ErrorCode.CONNECTION_LOST, "the node above has ended it"));
    }
}
