package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;

/** A UDP socket without a socket, as far as a {@link UdpLeg} can tell: the test sends and receives its datagrams. */
public final class DatagramChannelStub extends EmbeddedChannel {
    private static final InetSocketAddress LOCAL = new InetSocketAddress("192.0.2.77", 3322);

    private final UdpLeg leg;

    public DatagramChannelStub(LoopMemory memory) {
        leg = new UdpLeg(memory);
        leg.opened(this);
        pipeline().addLast(leg);
    }

    public UdpLeg leg() {
        return leg;
    }

    /** Datagrams of one read; the references are given away. */
    public void arrive(InetSocketAddress from, ByteBuf... datagrams) {
        for (ByteBuf datagram : datagrams) {
            pipeline().fireChannelRead(new DatagramPacket(datagram, LOCAL, from));
        }
        pipeline().fireChannelReadComplete();
    }

    /** The system says that nobody listens where a datagram went. */
    public void unreachable() {
        pipeline().fireExceptionCaught(new PortUnreachableException());
    }

    /** The next datagram that has left, which the caller releases; null for none. */
    public ByteBuf left() {
        Object message = readOutbound();
        return message instanceof DatagramPacket datagram ? datagram.content() : (ByteBuf) message;
    }

    @Override
    protected SocketAddress localAddress0() {
        return LOCAL;
    }
}
