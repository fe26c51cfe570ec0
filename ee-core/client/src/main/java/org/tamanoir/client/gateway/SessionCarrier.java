package org.tamanoir.client.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.gateway.OpenConnection.State;
import org.tamanoir.client.resumable.Session;
import org.tamanoir.client.resumable.Ways;
import org.tamanoir.client.wire.Closing;
import org.tamanoir.client.wire.NetworkFailures;

/** One ordinary connection and the session that carries it, at either end: of a program at a {@link Gateway}, to a server at an {@link Endpoint}. On one event loop. */
final class SessionCarrier extends ChannelInboundHandlerAdapter implements Session.Application {
    /** A program that had to be waited for has taken all but a fourth of what it may leave when more is read. */
    private static final int LOW = 4;

    private final InetSocketAddress programAddress;
    private final OpenConnection connection;
    private final GatewayCounters counters;
    /** Null until its connection is there. */
    private SocketChannel program;
    private Ways ways;
    private long id;
    private Session session;
    /** What was read of the program and the session had no room for: one read at most. */
    private final ArrayDeque<ByteBuf> left = new ArrayDeque<>(2);
    private long written;
    /** Octets that the program has not taken yet. */
    private long untaken;
    private boolean programWaits;
    private boolean programEnded;
    private boolean finishing;
    private boolean finished;
    private boolean sessionWaits;
    private boolean over;

    /** @param programAddress of the program, or the server */
    SessionCarrier(InetSocketAddress programAddress, OpenConnection connection, GatewayCounters counters) {
        this.programAddress = programAddress;
        this.connection = connection;
        this.counters = counters;
    }

    /** Opens a session for the program once its connection is there. */
    SessionCarrier by(Ways some, long newId) {
        ways = some;
        id = newId;
        return this;
    }

    /** Carries a session that has come, once the server has accepted; nothing comes of it before. */
    SessionCarrier of(Session come) {
        session = come;
        return this;
    }

    /** Whether there is nothing to carry any more. */
    boolean isOver() {
        return over;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        program = (SocketChannel) context.channel();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (session == null) {
            session = ways.open(program.eventLoop(), id, this);
        } else {
            session.ready();
        }
        program.read();
    }

    // From the program to the session.

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf octets = (ByteBuf) message;
        connection.toNode(octets.readableBytes());
        left.add(octets);
        writeLeft();
    }

    private void writeLeft() {
        while (!left.isEmpty() && !over) {
            session.write(left.peek());
            if (left.peek().isReadable()) {
                return;
            }
            left.poll().release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (!over) {
            session.flush();
            readOn();
        }
    }

    private void readOn() {
        programWaits = !left.isEmpty() || !session.isWritable();
        takeMore();
        if (!programWaits && !programEnded) {
            program.read();
        } else if (programEnded && left.isEmpty()) {
            session.finish();
            closeIfBothHave();
        }
    }

    @Override
    public void onRoom() {
        goes();
        if (programWaits && !over) {
            writeLeft();
            session.flush();
            if (!over) {
                readOn();
            }
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == Gateway.STOP) {
            onFailure(new AnepException(ErrorCode.STOPPING, "the gateway stops"));
        } else if (event instanceof ChannelInputShutdownEvent && !programEnded && !over) {
            programEnded = true;
            connection.is(State.PROGRAM_ENDED);
            if (left.isEmpty()) {
                session.finish();
            }
            closeIfBothHave();
        }
    }

    /** Reads on for a program that had to be waited for, and has taken most. */
    private void takeMore() {
        if (sessionWaits && !over && !mustWait(session.tally().portion() / LOW)) {
            sessionWaits = false;
            session.read();
        }
    }

    /**
     * One that has had its end takes nothing, and marks may still come. So may those without which the ring has no room for what was read of the program:
     * it may be that which takes nothing before it is read from. What comes meanwhile is less than the ring of the other end.
     */
    private boolean mustWait(int most) {
        return !finishing && left.isEmpty() && untaken > most;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (programEnded && finishing) {
            // It has had its end and said its own; the two ends of the session still have to agree.
            return;
        }
        abort(new AnepException(ErrorCode.CONNECTION_LOST, "the program's connection ended before it had finished"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        abort(NetworkFailures.of(cause, programAddress));
    }

    // From the session to the program.

    @Override
    public void onOctets(ByteBuf octets) {
        int length = octets.readableBytes();
        connection.toProgram(length);
        untaken += length;
        session.tally().waiting(length);
        program.write(octets).addListener((ChannelFuture done) -> {
            untaken -= length;
            session.tally().waiting(-length);
            if (done.isSuccess()) {
                written += length;
                session.kept(written);
                takeMore();
            } else {
                abort(NetworkFailures.of(done.cause(), programAddress));
            }
        });
    }

    @Override
    public boolean onReadComplete() {
        goes();
        program.flush();
        sessionWaits = mustWait(session.tally().portion());
        return !sessionWaits;
    }

    @Override
    public void onEnd() {
        finishing = true;
        connection.is(State.FAR_END_ENDED);
        Closing.finish(program).addListener((ChannelFuture done) -> {
            if (done.isSuccess()) {
                finished = true;
                closeIfBothHave();
            } else {
                abort(NetworkFailures.of(done.cause(), programAddress));
            }
        });
    }

    /** The program's connection goes when both directions have ended; the session may need longer. */
    private void closeIfBothHave() {
        if (programEnded && finished && left.isEmpty()) {
            program.close();
        }
    }

    @Override
    public void onDone() {
        over = true;
        // Both directions are kept, ends included: what still has to leave is on its way.
        if (finished) {
            program.close();
        }
    }

    @Override
    public void onFailure(AnepException why) {
        if (!over) {
            counters.broken(programAddress, why);
            end();
        }
    }

    /** Something has come: there is a chain of nodes. */
    private void goes() {
        connection.by(session.node());
        if (connection.state() == State.OPENING) {
            connection.is(State.OPEN);
        }
    }

    // The end before its time.

    /** The program has given up, as programs do: the other end learns it. */
    private void abort(AnepException why) {
        if (!over) {
            counters.aborted(programAddress, why);
            end();
        }
    }

    private void end() {
        over = true;
        while (!left.isEmpty()) {
            left.poll().release();
        }
        if (program != null) {
            Closing.reset(program);
        }
        session.giveUp();
    }
}
