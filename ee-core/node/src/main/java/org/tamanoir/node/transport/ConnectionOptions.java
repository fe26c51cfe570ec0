package org.tamanoir.node.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What the kernel is told of one connection: what a close does, the code point of its packets, and a {@link SocketTuning}, which comes and goes. Needs no
 * privilege. On the loop of the connection.
 */
final class ConnectionOptions {
    private static final int SOL_SOCKET = 1;
    private static final int SO_SNDBUF = 7;
    private static final int SO_RCVBUF = 8;
    private static final int SO_MAX_PACING_RATE = 47;
    /** Since Linux 5.15: which buffers are fixed. Written as 0 it gives them back to the kernel, which nothing did before. */
    private static final int SO_BUF_LOCK = 72;
    private static final int SEND_FIXED = 1;
    private static final int RECEIVE_FIXED = 2;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;
    /** TCP_CA_NAME_MAX, its last octet 0. */
    private static final int NAME = 16;
    private static final long UNLIMITED = -1;
    private static final Path SETTINGS = Path.of("/proc/sys/net");

    /** Values of SO_LINGER: a close resets the connection, or lets what waits be delivered. */
    static final int RESET = 0;
    static final int DELIVER = -1;

    private final Channel channel;
    private int onClose = DELIVER;
    private int codePoint;
    private SocketTuning now = SocketTuning.NONE;
    /** As it was before the first tuning; null and 0 where nothing was changed. */
    private String congestion;
    private int sendBuffer;
    private int receiveBuffer;
    /** Octets a second; 0 for no bound. */
    private long pacing;
    /** A buffer was fixed, and the kernel does not take it back: Linux before 5.15. */
    private boolean stuck;

    ConnectionOptions(Channel channel) {
        this.channel = channel;
    }

    /** What the system does with a close: {@link #RESET} or {@link #DELIVER}. */
    void onClose(int linger) {
        if (linger == onClose) {
            return;
        }
        onClose = linger;
        try {
            channel.config().setOption(ChannelOption.SO_LINGER, linger);
        } catch (ChannelException e) {
            // The peer was faster and the socket is closed: there is nobody left to tell.
        }
    }

    /** The code point of what is given to the socket from now on, 0 to 63. */
    void mark(int newCodePoint) {
        channel.config().setOption(ChannelOption.IP_TOS, newCodePoint << UdpLeg.DSCP_SHIFT);
        codePoint = newCodePoint;
    }

    int codePoint() {
        return codePoint;
    }

    /** How it is tuned now. */
    SocketTuning tuning() {
        return now;
    }

    /**
     * Has the kernel treat the connection so.
     *
     * @return null if it does; otherwise why not, and it is as it was before all tuning, as far as the kernel lets it. For {@link SocketTuning#NONE} also where something of
     *         an earlier tuning stays
     */
    String tune(SocketTuning wanted) {
        if (wanted.equals(now)) {
            return whatStays(wanted);
        }
        if (!(channel instanceof UnixChannel unix && unix.fd() instanceof Socket socket)) {
            return "connections are not tuned with io: nio";
        }
        try {
            change(socket, wanted);
            now = wanted;
            return whatStays(wanted);
        } catch (IOException | ChannelException e) {
            String why = reason(e, wanted);
            try {
                change(socket, SocketTuning.NONE);
            } catch (IOException | ChannelException again) {
                // It has closed, most likely: whoever asks hears of the first failure.
                stuck = true;
                why += "; what was changed stays";
            }
            now = SocketTuning.NONE;
            return why;
        }
    }

    private String whatStays(SocketTuning wanted) {
        return stuck && wanted.equals(SocketTuning.NONE) ? "the kernel keeps a buffer of the connection as it was fixed" : null;
    }

    private void change(Socket socket, SocketTuning wanted) throws IOException {
        if (wanted.congestion() != null || congestion != null) {
            String before = congestion == null ? name(socket) : congestion;
            socket.setRawOpt(IPPROTO_TCP, TCP_CONGESTION, named(wanted.congestion() == null ? before : wanted.congestion()));
            congestion = wanted.congestion() == null ? null : before;
        }
        if (wanted.pacing() != pacing) {
            socket.setRawOpt(SOL_SOCKET, SO_MAX_PACING_RATE, octets(Long.BYTES).putLong(0, wanted.pacing() == 0 ? UNLIMITED : wanted.pacing()));
            pacing = wanted.pacing();
        }
        int wereFixed = fixed();
        sendBuffer = resize(socket, SO_SNDBUF, wanted.sendBuffer(), sendBuffer);
        receiveBuffer = resize(socket, SO_RCVBUF, wanted.receiveBuffer(), receiveBuffer);
        if ((wereFixed & ~fixed()) != 0) {
            giveBack(socket);
        }
    }

    /** A failure is none of the tuning that comes: the connection carries no further stream. */
    private void giveBack(Socket socket) {
        try {
            socket.setRawOpt(SOL_SOCKET, SO_BUF_LOCK, octets(Integer.BYTES).putInt(0, fixed()));
        } catch (IOException | ChannelException e) {
            stuck = true;
        }
    }

    private int fixed() {
        return (sendBuffer > 0 ? SEND_FIXED : 0) | (receiveBuffer > 0 ? RECEIVE_FIXED : 0);
    }

    /** @return what it was before it was fixed; 0 if it is not fixed */
    private static int resize(Socket socket, int option, int wanted, int before) throws IOException {
        if (wanted == 0 && before == 0) {
            return 0;
        }
        int was = before == 0 ? size(socket, option) : before;
        // The kernel doubles what it is given, and tells what it has.
        socket.setRawOpt(SOL_SOCKET, option, octets(Integer.BYTES).putInt(0, wanted == 0 ? was / 2 : wanted));
        return wanted == 0 ? 0 : was;
    }

    private static int size(Socket socket, int option) throws IOException {
        ByteBuffer read = octets(Integer.BYTES);
        socket.getRawOpt(SOL_SOCKET, option, read);
        return read.getInt(0);
    }

    private static String name(Socket socket) throws IOException {
        ByteBuffer read = octets(NAME);
        socket.getRawOpt(IPPROTO_TCP, TCP_CONGESTION, read);
        byte[] name = new byte[NAME];
        read.get(0, name);
        return new String(name, StandardCharsets.US_ASCII).replaceAll("\0.*", "");
    }

    private static ByteBuffer named(String algorithm) {
        byte[] name = algorithm.getBytes(StandardCharsets.US_ASCII);
        return octets(name.length).put(0, name);
    }

    private static ByteBuffer octets(int many) {
        return ByteBuffer.allocate(many).order(ByteOrder.nativeOrder());
    }

    /** The kernel's own word is in the language of the machine: what it has says more. */
    private static String reason(Exception failure, SocketTuning wanted) {
        String available = setting("ipv4/tcp_available_congestion_control");
        String allowed = setting("ipv4/tcp_allowed_congestion_control");
        if (wanted.congestion() != null && !isIn(available, wanted.congestion())) {
            return "this kernel has no congestion control '" + wanted.congestion() + "'; it has " + available;
        }
        if (wanted.congestion() != null && !isIn(allowed, wanted.congestion())) {
            return "this kernel allows the congestion control '" + wanted.congestion() + "' to privileged programs alone; net.ipv4.tcp_allowed_congestion_control has " + allowed;
        }
        return "the kernel refuses it: " + failure.getMessage();
    }

    private static boolean isIn(String list, String name) {
        return List.of(list.split(" ")).contains(name);
    }

    private static String setting(String name) {
        try {
            return Files.readString(SETTINGS.resolve(name)).strip();
        } catch (IOException e) {
            return "nothing that can be read here";
        }
    }

    static String problem(SocketTuning wanted) {
        if (!Epoll.isAvailable()) {
            return "connections are not tuned where epoll does not load";
        }
        Socket socket = null;
        try {
            socket = Socket.newSocketStream();
            new ConnectionOptions(null).change(socket, wanted);
            String send = clipped(socket, SO_SNDBUF, wanted.sendBuffer(), "wmem_max");
            return send != null ? send : clipped(socket, SO_RCVBUF, wanted.receiveBuffer(), "rmem_max");
        } catch (IOException | ChannelException e) {
            return reason(e, wanted);
        } finally {
            close(socket);
        }
    }

    private static void close(Socket socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            // It carried nothing.
        }
    }

    /** The kernel clips a buffer to its limit and says nothing. */
    private static String clipped(Socket socket, int option, int wanted, String limit) throws IOException {
        return wanted > 0 && size(socket, option) < 2L * wanted ? "this kernel gives a buffer of " + setting("core/" + limit) + " octets at most; raise net.core." + limit : null;
    }
}
