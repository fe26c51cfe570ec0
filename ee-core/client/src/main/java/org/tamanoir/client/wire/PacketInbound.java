package org.tamanoir.client.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.util.function.IntSupplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.Packet;

/**
 * Finds packets in a TCP channel, split at any octet, and hands each to a {@link PacketSink} where it lies. Reads nothing unless asked
 * by {@code channel.read()}.
 *
 * <p>Ends with the first thing that is wrong: EE-101 to EE-108 for what is no packet, EE-109 for a payload whose encoding no node has
 * undone, EE-211 for an end inside a packet and for a connection that is lost.
 */
public final class PacketInbound extends ChannelInboundHandlerAdapter {
    private final PacketSink sink;
    private final ReceiveBuffer receive;
    private final Packet view = new Packet();
    private final Framing.Visitor each = this::take;
    private InetSocketAddress peer = new InetSocketAddress(0);
    private boolean secure;
    private boolean over;

    /** A handler for one channel. */
    public PacketInbound(PacketSink sink) {
        this(sink, () -> ReceiveBuffer.LARGEST);
    }

    /** The same. @param most octets that may be read at a time just now */
    public PacketInbound(PacketSink sink, IntSupplier most) {
        this.sink = sink;
        this.receive = new ReceiveBuffer(most);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        secure = context.pipeline().get(SslHandler.class) != null;
        if (!secure) {
            context.channel().config().setRecvByteBufAllocator(receive);
        }
        if (context.channel().remoteAddress() instanceof InetSocketAddress address) {
            peer = address;
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        try {
            if (over) {
                buffer.skipBytes(buffer.readableBytes());
            } else {
                parse(secure ? receive.append(buffer, context.alloc()) : buffer);
            }
        } catch (AnepException e) {
            fail(e);
        } finally {
            buffer.release();
        }
    }

    private void parse(ByteBuf buffer) {
        int at = buffer.readerIndex();
        int end = buffer.writerIndex();
        // Nothing is left to read unless all goes well.
        buffer.readerIndex(end);
        int parsed = Framing.each(buffer, at, end, view, each);
        buffer.readerIndex(over ? end : parsed);
    }

    private boolean take(Packet packet) {
        checkDelivered(packet);
        sink.onPacket(packet);
        return !over;
    }

    /** Checks that the options of a delivered packet are good, and that its payload is as its source sent it; EE-1xx if not. */
    public static void checkDelivered(Packet packet) {
        if (packet.hasOptions()) {
            packet.checkOptions();
            if (packet.contentEncoding() != null) {
                throw new MalformedPacketException(ErrorCode.BAD_CONTENT, "the payload arrived encoded as " + packet.contentEncoding()
                        + ": the last node should have restored it");
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        receive.releaseIfParsed();
        if (!over) {
            sink.onReadComplete();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == (secure ? SslCloseCompletionEvent.SUCCESS : ChannelInputShutdownEvent.INSTANCE)) {
            end();
        } else if (event == ChannelInputShutdownEvent.INSTANCE) {
            // RFC 8446 section 6.1: without close_notify somebody else may have ended it.
            fail(new AnepException(ErrorCode.CONNECTION_LOST, "the connection ended, and the node has not said so by TLS"));
        }
    }

    private void end() {
        if (over) {
            return;
        }
        ByteBuf rest = receive.current();
        if (rest != null && rest.isReadable()) {
            fail(new AnepException(ErrorCode.CONNECTION_LOST, "the stream ended inside a packet: " + rest.readableBytes()
                    + " octets of it had come"));
        } else {
            over = true;
            sink.onEnd();
        }
        receive.release();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (!over) {
            fail(new AnepException(ErrorCode.CONNECTION_LOST, "the connection ended before the stream did"));
        }
        receive.release();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        receive.release();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        sink.onWritabilityChanged();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        fail(NetworkFailures.of(cause, peer));
    }

    private void fail(AnepException failure) {
        if (!over) {
            over = true;
            sink.onFailure(failure);
        }
    }
}
