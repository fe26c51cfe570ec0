package org.tamanoir.node.transport;

import io.netty.channel.Channel;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Asks the kernel for {@code struct tcp_info} of a connection. Netty's {@code EpollTcpInfo} ends at the fields of Linux 2.6, and its
 * {@code RawUnixChannelOption} allocates a buffer for each question; this one does not. A question costs about a microsecond, most of it in the kernel.
 */
final class TcpInfo {
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;

    private TcpInfo() {
    }

    /**
     * Reads the struct.
     *
     * @param into best direct, which saves a copy; from its position to its limit. The kernel leaves alone what it does not know
     * @return false if there is none: with NIO, or because the connection is closed
     */
    static boolean read(Channel channel, ByteBuffer into) {
        if (!(channel instanceof UnixChannel unix && unix.fd() instanceof Socket socket)) {
            return false;
        }
        try {
            socket.getRawOpt(IPPROTO_TCP, TCP_INFO, into);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
