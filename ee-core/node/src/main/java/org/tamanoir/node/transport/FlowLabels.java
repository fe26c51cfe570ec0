package org.tamanoir.node.transport;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Platform;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections whose packets of IPv6 carry a flow label of our choice. Linux takes it with the address that is connected to (ipv6(7), RFC 3542 has no call
 * for it), and Netty has no word for it: the connection is begun here, and Netty's own call finds that it is under way.
 */
final class FlowLabels {
    private static final int AF_INET6 = 10;
    private static final int IPPROTO_IPV6 = 41;
    private static final int IPV6_FLOWINFO_SEND = 33;
    /** struct sockaddr_in6: family, port, flow information, address, scope. */
    private static final int ADDRESS = 28;
    private static final boolean THERE = bind();

    private FlowLabels() {
    }

    private static boolean bind() {
        Logger log = LoggerFactory.getLogger(FlowLabels.class);
        try {
            if (Platform.isLinux()) {
                Native.register("c");
                return true;
            }
        } catch (LinkageError e) {
            log.warn("packets carry no flow labels: {}", e.getMessage());
        }
        return false;
    }

    /**
     * Begins a connection of a channel that is about to connect. If that fails the channel's own attempt says why, or goes on without a label.
     *
     * @param label of 20 bits; 0 for that of the system
     */
    static void begin(Channel channel, InetSocketAddress to, int label) {
        if (label == 0 || !(to.getAddress() instanceof Inet6Address address) || !(channel instanceof EpollSocketChannel socket) || !THERE) {
            return;
        }
        ByteBuffer peer = ByteBuffer.allocate(ADDRESS).order(ByteOrder.BIG_ENDIAN);
        peer.putShort(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? Short.reverseBytes((short) AF_INET6) : AF_INET6).putShort((short) to.getPort()).putInt(label)
                .put(address.getAddress());
        peer.order(ByteOrder.nativeOrder()).putInt(address.getScopeId());
        byte[] on = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder()).putInt(1).array();
        try {
            setsockopt(socket.fd().intValue(), IPPROTO_IPV6, IPV6_FLOWINFO_SEND, on, on.length);
            connect(socket.fd().intValue(), peer.array(), ADDRESS);
        } catch (LastErrorException e) {
            // It is under way (EINPROGRESS), or the channel will hear the same.
        }
    }

    private static native int setsockopt(int socket, int level, int option, byte[] value, int length) throws LastErrorException;

    private static native int connect(int socket, byte[] address, int length) throws LastErrorException;
}
