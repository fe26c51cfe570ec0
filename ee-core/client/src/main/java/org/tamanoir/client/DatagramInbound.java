package org.tamanoir.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.client.wire.PacketInbound;

/** Takes datagrams, one packet each. A malformed one is dropped and counted, and changes nothing else. */
abstract class DatagramInbound extends ChannelInboundHandlerAdapter {
    private static final int LARGEST = 1 << 16;

    private final LongAdder malformed = new LongAdder();

    /** Room for the largest datagram; what is smaller is moved to a buffer of its size, so that waiting costs what it seems to. */
    static RecvByteBufAllocator allocator() {
        return new FixedRecvByteBufAllocator(LARGEST);
    }

    /** Datagrams dropped because they were no packet. */
    final long malformed() {
        return malformed.sum();
    }

    /** A packet; the view is valid during the call. */
    abstract void onPacket(InetSocketAddress sender, Packet packet);

    /** A datagram that is taken as it is; the default reads it as a packet. */
    void onDatagram(InetSocketAddress sender, ByteBuf content) {
        Packet packet = Packet.of(content);
        PacketInbound.checkDelivered(packet);
        onPacket(sender, packet);
    }

    /** Whether a packet says that nothing more comes. */
    static boolean isEnd(Packet packet) {
        return packet.payloadLength() == 0 && packet.typeId() != Anep.TYPE_ERROR && packet.has(OptionType.STREAM);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        DatagramPacket datagram = (DatagramPacket) message;
        ByteBuf content = datagram.content();
        if (content.readableBytes() < content.capacity() / 2) {
            ByteBuf fitting = context.alloc().directBuffer(content.readableBytes());
            fitting.writeBytes(content);
            content.release();
            content = fitting;
        }
        try {
            onDatagram(datagram.sender(), content);
        } catch (MalformedPacketException e) {
            malformed.increment();
        } finally {
            content.release();
        }
    }

    /** The datagrams of one stream, on a connected socket. */
    static final class OfStream extends DatagramInbound {
        private final StreamState stream;
        private final long id;
        private final String token;

        /** @param token that goes with a cookie; null for none */
        OfStream(StreamState stream, long id, String token) {
            this.stream = stream;
            this.id = id;
            this.token = token;
        }

        @Override
        void onPacket(InetSocketAddress sender, Packet packet) {
            if (packet.typeId() == Anep.TYPE_CONTROL) {
                returnCookie(packet);
            } else if (isEnd(packet)) {
                stream.onEnd();
            } else {
                stream.onPacket(packet);
            }
        }

        /** The node wants to know whether this program is where its datagrams say: only a stream that is open here says so. */
        private void returnCookie(Packet asked) {
            if (asked.has(OptionType.COOKIE) && asked.streamId() == id) {
                stream.link().write(token == null ? asked.buffer().copy(asked.offset(), asked.length())
                        : new PacketBuilder(asked.typeId()).flags(asked.flags()).options(asked.options().token(token)).build(stream.link().allocator()));
                stream.link().flush();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            stream.onReadComplete();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            stream.onFailure(new AnepException(ErrorCode.CONNECTION_LOST, "the socket was closed before the stream ended"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            stream.onFailure(NetworkFailures.of(cause, stream.link().peer()));
        }
    }
}
