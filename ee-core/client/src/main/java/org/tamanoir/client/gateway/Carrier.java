package org.tamanoir.client.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.client.StreamRefusedException;
import org.tamanoir.client.gateway.OpenConnection.State;
import org.tamanoir.client.wire.Closing;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.client.wire.NodeConnection;
import org.tamanoir.client.wire.Packetizer;

/**
 * One program's connection and the stream that carries it, on one event loop. Each side is read when the other has room. Toward the node
 * a header is set in front of each read where it lies; toward the program payloads leave as slices.
 */
final class Carrier extends ChannelInboundHandlerAdapter implements NodeConnection.Stream {
    /** After a failed write, how long the other side's reason for it may take to arrive. */
    private static final long REASON_MILLIS = 250;

    private final SocketChannel program;
    private final InetSocketAddress programAddress;
    private final OpenConnection connection;
    private final Packetizer packets;
    private final Gateway gateway;
    /** What was read of the program before the node was connected: at most one read, and what came with its request to a proxy. */
    private final ArrayDeque<ByteBuf> early = new ArrayDeque<>(2);
    /** Who waits to hear that the destination has accepted; the program is not read before. Null for nobody, and once it is told. */
    private Asker asker;
    private NodeConnection node;
    private ChannelFutureListener toNode;
    /** What was written to a connection that was kept, until the node has answered; null on a new one. */
    private Repeatable repeatable;
    private boolean programEnded;
    private boolean nodeFinished;
    private boolean nodeEnded;
    private boolean over;

    /** Somebody who has to hear of a stream before its program sends anything. */
    interface Asker {
        /** The destination has accepted. */
        void connected();

        /** The stream has failed; the program's connection is still there. */
        void refused(AnepException why);
    }

    /** @param connection that is known to lead somewhere */
    Carrier(SocketChannel program, OpenConnection connection, Packetizer packets, Gateway gateway) {
        this.program = program;
        this.connection = connection;
        this.programAddress = program.remoteAddress();
        this.packets = packets;
        this.gateway = gateway;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        begin();
    }

    /**
     * Carries a program that a proxy has heard.
     *
     * @param first what came behind its request, each with room for a header in front
     * @param ended whether it sends no more
     */
    void begin(List<ByteBuf> first, boolean ended, Asker told) {
        asker = told;
        programEnded = ended;
        packets.askConnected();
        early.addAll(first);
        begin();
    }

    /** Reads what the program has sent already while the node is being connected: it leaves behind the opening packet, in one write. */
    private void begin() {
        NodeConnection idle = gateway.idleConnection(program.eventLoop());
        readProgram();
        if (idle == null) {
            gateway.connect(this, program.eventLoop());
        } else {
            gateway.counters().reusedConnection();
            repeatable = new Repeatable();
            open(idle);
            send(packets.opening(idle.allocator()));
            sendEarly();
            if (programEnded) {
                finishNode();
            }
            // Twice to the end of the queue: the loop looks at its sockets in between, and takes the program's first octets along.
            program.eventLoop().execute(() -> program.eventLoop().schedule(idle::flush, 0, TimeUnit.NANOSECONDS));
            idle.read();
        }
    }

    private void open(NodeConnection opened) {
        node = opened;
        toNode = written -> {
            if (!written.isSuccess()) {
                onNodeFailure(opened, written.cause());
            }
        };
        connection.by(opened.peer());
        if (asker == null) {
            connection.is(programEnded ? State.PROGRAM_ENDED : State.OPEN);
        }
        node.begin(this);
    }

    /** The node has accepted a new connection: opens the stream, or sends again what an earlier connection took for nothing. */
    void start(NodeConnection opened) {
        if (over) {
            opened.reset();
            return;
        }
        Repeatable again = repeatable;
        repeatable = null;
        open(opened);
        if (again == null) {
            send(packets.opening(node.allocator()));
        } else {
            again.each(this::send);
        }
        sendEarly();
        node.flush();
        if (programEnded) {
            finishNode();
        } else {
            readProgram();
        }
        node.read();
    }

    private void sendEarly() {
        while (!early.isEmpty()) {
            forward(early.poll());
        }
    }

    private void readProgram() {
        if (asker == null) {
            program.read();
        }
    }

    /** The first that comes back says that the destination has accepted, whatever it is. */
    private void accepted() {
        if (asker != null) {
            Asker told = asker;
            asker = null;
            connection.is(programEnded ? State.PROGRAM_ENDED : State.OPEN);
            told.connected();
            program.read();
        }
    }

    // From the program to the node.

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        if (over) {
            buffer.release();
        } else if (node == null) {
            early.add(buffer);
        } else {
            forward(buffer);
        }
    }

    private void forward(ByteBuf buffer) {
        int payload = buffer.readableBytes();
        connection.toNode(payload);
        int end = buffer.writerIndex();
        buffer.setIndex(0, 0);
        packets.writeHeader(buffer, payload);
        send(buffer.setIndex(0, end));
    }

    private void send(ByteBuf buffer) {
        if (repeatable != null) {
            repeatable.add(buffer);
        }
        node.write(buffer).addListener(toNode);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (node != null && !over) {
            node.flush();
            if (node.isWritable()) {
                readProgram();
            }
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == Gateway.STOP) {
            end(new AnepException(ErrorCode.STOPPING, "the gateway stops"));
        } else if (event instanceof ChannelInputShutdownEvent && !programEnded) {
            programEnded = true;
            connection.is(State.PROGRAM_ENDED);
            if (node != null) {
                finishNode();
            }
        }
    }

    /** The program takes more: read its answers on. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (node != null && program.isWritable()) {
            node.read();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        abort(new AnepException(ErrorCode.CONNECTION_LOST, "the program's connection ended before it had finished"));
    }

    /** A failed read, or a failed write to the program: those have void promises, which tell the pipeline. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        onProgramFailure(cause);
    }

    private void onProgramFailure(Throwable cause) {
        abort(NetworkFailures.of(cause, programAddress));
    }

    // From the node to the program.

    @Override
    public void onPacket(Packet packet) {
        if (over) {
            return;
        }
        forget();
        StreamRefusedException refusal = StreamRefusedException.in(packet);
        if (refusal != null) {
            onFailure(refusal);
            return;
        }
        accepted();
        if (packet.payloadLength() > 0) {
            connection.toProgram(packet.payloadLength());
            program.write(packet.buffer().retainedSlice(packet.payloadOffset(), packet.payloadLength()), program.voidPromise());
        }
    }

    @Override
    public void onReadComplete() {
        program.flush();
        if (program.isWritable()) {
            node.read();
        }
    }

    @Override
    public void onEnd() {
        forget();
        accepted();
        nodeEnded = true;
        connection.is(State.FAR_END_ENDED);
        finished(Closing.finish(program));
    }

    @Override
    public void onFailure(AnepException failure) {
        end(failure);
    }

    /** The node stopped, or gave the connection up, in the moment in which it was taken. */
    @Override
    public void onUnseen() {
        node = null;
        nodeFinished = false;
        if (repeatable.isWhole()) {
            gateway.connect(this, program.eventLoop());
        } else {
            end(new AnepException(ErrorCode.CONNECTION_LOST, "the node gave the connection up, and more than " + Repeatable.MOST
                    + " octets had been sent on it: too many to send again"));
        }
    }

    /** The node takes more: read the program on. */
    @Override
    public void onWritabilityChanged() {
        if (node != null && node.isWritable()) {
            readProgram();
        }
    }

    private void onNodeFailure(NodeConnection failed, Throwable cause) {
        if (!over && node == failed) {
            // A node that refuses says why before it closes; its words may still lie in the socket.
            failed.onWriteFailure();
            program.eventLoop().schedule(() -> {
                if (node == failed) {
                    end(gateway.failureOfNode(cause));
                }
            }, REASON_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    // Both.

    private void finishNode() {
        NodeConnection finishing = node;
        finishing.finish().addListener((ChannelFuture done) -> {
            if (!done.isSuccess()) {
                onNodeFailure(finishing, done.cause());
            } else if (node == finishing) {
                nodeFinished = true;
                endIfBothHave();
            }
        });
    }

    private void finished(ChannelFuture programFinished) {
        programFinished.addListener((ChannelFuture done) -> {
            if (done.isSuccess()) {
                endIfBothHave();
            } else {
                onProgramFailure(done.cause());
            }
        });
    }

    /** Both halves of both connections have ended cleanly. */
    private void endIfBothHave() {
        if (!over && nodeEnded && nodeFinished && program.isOutputShutdown()) {
            over = true;
            program.close();
            node.release();
        }
    }

    /** The program has given up, as programs do. */
    private void abort(AnepException failure) {
        if (!over) {
            gateway.counters().aborted(programAddress, failure);
            reset();
        }
    }

    /** The stream has failed. */
    void end(AnepException failure) {
        if (!over) {
            gateway.counters().broken(programAddress, failure);
            giveUp();
            if (asker != null) {
                asker.refused(failure);
            } else {
                Closing.reset(program);
            }
        }
    }

    /** Gives both sides up with a reset, so that neither takes what it has for all. */
    private void reset() {
        giveUp();
        Closing.reset(program);
    }

    private void giveUp() {
        over = true;
        forget();
        while (!early.isEmpty()) {
            early.poll().release();
        }
        if (node != null) {
            node.reset();
        }
    }

    private void forget() {
        if (repeatable != null) {
            repeatable.release();
            repeatable = null;
        }
    }

    /** What a stream has sent on a connection that was kept, for the case that nobody has seen it. */
    private static final class Repeatable {
        /** Octets that are kept at most. */
        private static final int MOST = 64 << 10;

        private final ArrayDeque<ByteBuf> sent = new ArrayDeque<>();
        private int octets;

        void add(ByteBuf buffer) {
            octets = Math.min(MOST + 1, octets + buffer.readableBytes());
            if (isWhole()) {
                sent.add(buffer.retainedSlice());
            } else {
                release();
            }
        }

        boolean isWhole() {
            return octets <= MOST;
        }

        /** Gives every buffer away, in order. */
        void each(Consumer<ByteBuf> next) {
            while (!sent.isEmpty()) {
                next.accept(sent.poll());
            }
        }

        void release() {
            each(ByteBuf::release);
        }
    }
}
