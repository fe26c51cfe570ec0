package org.tamanoir.client.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.client.StreamRefusedException;
import org.tamanoir.client.wire.Closing;
import org.tamanoir.client.wire.Failures;
import org.tamanoir.client.wire.PacketInbound;
import org.tamanoir.client.wire.PacketSink;
import org.tamanoir.client.wire.Packetizer;

/**
 * One program's connection and the stream that carries it, on one event loop. Each side is read when the other has room. Toward the node
 * a header is set in front of each read where it lies; toward the program payloads leave as slices.
 */
final class Carrier extends ChannelInboundHandlerAdapter implements PacketSink {
    /** After a failed write, how long the other side's reason for it may take to arrive. */
    private static final long REASON_MILLIS = 250;

    private final SocketChannel program;
    private final InetSocketAddress programAddress;
    private final InetSocketAddress nodeAddress;
    private final Packetizer packets;
    private final Gateway gateway;
    /** What was read of the program before the node was connected; nothing is asked for until then, but a transport may read unasked. */
    private final ArrayDeque<ByteBuf> early = new ArrayDeque<>();
    private SocketChannel node;
    private boolean programEnded;
    private boolean nodeEnded;
    private boolean over;

    Carrier(SocketChannel program, InetSocketAddress nodeAddress, Packetizer packets, Gateway gateway) {
        this.program = program;
        this.programAddress = program.remoteAddress();
        this.nodeAddress = nodeAddress;
        this.packets = packets;
        this.gateway = gateway;
    }

    /** The node has accepted: opens the stream and begins to read both sides. */
    void start(SocketChannel connected) {
        node = connected;
        if (over) {
            Closing.reset(node);
            return;
        }
        node.pipeline().addLast(new PacketInbound(this));
        send(node, packets.opening(node.alloc()));
        while (!early.isEmpty()) {
            forward(early.poll());
        }
        node.flush();
        if (programEnded) {
            finish(node);
        } else {
            program.read();
        }
        node.read();
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
        gateway.counters().toNode(payload);
        int end = buffer.writerIndex();
        buffer.setIndex(0, 0);
        packets.writeHeader(buffer, payload);
        send(node, buffer.setIndex(0, end));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (node != null && !over) {
            node.flush();
            if (node.isWritable()) {
                program.read();
            }
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent && !programEnded) {
            programEnded = true;
            if (node != null) {
                finish(node);
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
        end(null);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        end(Failures.of(cause, programAddress));
    }

    // From the node to the program.

    @Override
    public void onPacket(Packet packet) {
        if (over) {
            return;
        }
        StreamRefusedException refusal = StreamRefusedException.in(packet);
        if (refusal != null) {
            onFailure(refusal);
        } else if (packet.payloadLength() > 0) {
            gateway.counters().toProgram(packet.payloadLength());
            send(program, packet.buffer().retainedSlice(packet.payloadOffset(), packet.payloadLength()));
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
        nodeEnded = true;
        finish(program);
    }

    @Override
    public void onFailure(AnepException failure) {
        end(failure);
    }

    /** The node takes more: read the program on. */
    @Override
    public void onWritabilityChanged() {
        if (node.isWritable()) {
            program.read();
        }
    }

    // Both.

    private void send(Channel side, ByteBuf buffer) {
        side.write(buffer).addListener((ChannelFuture written) -> {
            if (!written.isSuccess()) {
                onWriteFailure(side, written.cause());
            }
        });
    }

    /** Half-close; when both halves are closed the connections are of no more use. */
    private void finish(SocketChannel side) {
        Closing.finish(side).addListener((ChannelFuture finished) -> {
            if (!finished.isSuccess()) {
                onWriteFailure(side, finished.cause());
            } else if (programEnded && nodeEnded && program.isOutputShutdown() && node.isOutputShutdown()) {
                over = true;
                program.close();
                node.close();
            }
        });
    }

    private void onWriteFailure(Channel side, Throwable cause) {
        if (over) {
            return;
        }
        AnepException failure = Failures.of(cause, side == node ? nodeAddress : programAddress);
        if (side == node) {
            // A node that refuses says why before it closes; its words may still lie in the socket.
            node.read();
            node.eventLoop().schedule(() -> end(failure), REASON_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            end(failure);
        }
    }

    /** Gives both sides up with a reset, so that neither takes what it has for all. */
    void end(AnepException failure) {
        if (over) {
            return;
        }
        over = true;
        while (!early.isEmpty()) {
            early.poll().release();
        }
        gateway.broken(programAddress, failure != null ? failure
                : new AnepException(ErrorCode.CONNECTION_LOST, "the program's connection ended before it had finished"));
        Closing.reset(program);
        if (node != null) {
            Closing.reset(node);
        }
    }

    /** Ends both sides at the end of the gateway's own life. */
    void abandon() {
        program.eventLoop().execute(() -> end(new AnepException(ErrorCode.STOPPING, "the gateway stops")));
    }
}
