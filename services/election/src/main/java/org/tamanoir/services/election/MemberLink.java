package org.tamanoir.services.election;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.connection.Connection;
import org.tamanoir.service.connection.ConnectionHandler;
import org.tamanoir.service.connection.Connections.Remote;

/** This node's connection to another member: opened when something is to be said, and again a second after it was lost. Among the tasks of the service. */
final class MemberLink implements ConnectionHandler {
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final ServiceContext service;
    private final InetSocketAddress member;
    private final int self;
    private final Consumer<Message> answers;
    private Connection connection;
    private Lines lines;
    private long again;
    private String problem = "not asked yet";

    /** @param self index of this node, which it says first @param answers told what the member answers */
    MemberLink(ServiceContext service, InetSocketAddress member, int self, Consumer<Message> answers) {
        this.service = service;
        this.member = member;
        this.self = self;
        this.answers = answers;
        this.again = service.nanoTime();
    }

    /** What cannot be said now is lost, as on any network. */
    void say(Message message) {
        if (connection == null && service.nanoTime() - again >= 0) {
            try {
                lines = new Lines();
                connection = service.connections().open(Remote.node(member.getHostString(), member.getPort()), this);
                connection.write(Lines.line(Lines.object().put("member", self)));
            } catch (AnepException e) {
                lost(e);
            }
        }
        if (connection != null && connection.isWritable()) {
            connection.write(Lines.line(message));
        }
    }

    /** Null while it stands. */
    String problem() {
        return problem;
    }

    @Override
    public void onConnected(Connection ready) {
        problem = null;
    }

    @Override
    public void onOctets(Connection from, ByteBuf octets) {
        try {
            lines.take(octets, line -> answers.accept(Lines.message(line)));
        } catch (AnepException e) {
            service.logger().warn("{} of {}", e.getMessage(), member);
            from.abort();
        }
    }

    @Override
    public void onEnd(Connection from) {
        from.abort();
    }

    @Override
    public void onClosed(Connection gone, AnepException why) {
        lost(why);
    }

    private void lost(AnepException why) {
        connection = null;
        again = service.nanoTime() + PAUSE_NANOS;
        problem = why == null ? "it has ended the connection" : why.getMessage();
    }
}
