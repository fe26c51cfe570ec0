package org.tamanoir.tests;

import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.Arrays;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.lab.Host;

/** A plain UDP socket on loopback or on a host of a laboratory: source, destination or flood, as the test says. */
final class UdpPeer implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 5000;

    private final DatagramSocket socket;
    private final InetSocketAddress node;
    private InetSocketAddress lastSender;
    private byte[] last;

    private UdpPeer(DatagramSocket socket, InetSocketAddress node) throws IOException {
        this.node = node;
        this.socket = socket;
        socket.setReceiveBufferSize(4 << 20);
        socket.setSoTimeout(PATIENCE_MILLIS);
    }

    /** One that sends to a node. */
    UdpPeer(InetSocketAddress node) throws IOException {
        this(new DatagramSocket(0, InetAddress.getLoopbackAddress()), node);
    }

    /** One that waits to be sent to. */
    UdpPeer() throws IOException {
        this(null);
    }

    /** One on a host of a laboratory. @param port 0 for any */
    UdpPeer(Host host, InetAddress address, int port) throws Exception {
        this(host.inside(() -> new DatagramSocket(new InetSocketAddress(address, port))), null);
    }

    /** Sends with a code point from now on. */
    UdpPeer dscp(int codePoint) throws IOException {
        socket.setOption(StandardSocketOptions.IP_TOS, codePoint << 2);
        return this;
    }

    int port() {
        return socket.getLocalPort();
    }

    /** Waits so long for a datagram from now on. */
    UdpPeer patience(Duration patience) throws IOException {
        socket.setSoTimeout((int) patience.toMillis());
        return this;
    }

    /** Sends to its node, or, if it has none, answers whoever sent the last datagram. */
    UdpPeer send(byte[] octets) throws IOException {
        return send(octets, octets.length);
    }

    UdpPeer send(byte[] octets, int length) throws IOException {
        socket.send(new DatagramPacket(octets, length, node == null ? lastSender : node));
        return this;
    }

    UdpPeer send(byte[] octets, InetSocketAddress to) throws IOException {
        socket.send(new DatagramPacket(octets, octets.length, to));
        return this;
    }

    /** The next datagram; fails if none comes. */
    byte[] receive() throws IOException {
        DatagramPacket datagram = new DatagramPacket(new byte[Anep.MAX_PACKET], Anep.MAX_PACKET);
        socket.receive(datagram);
        lastSender = (InetSocketAddress) datagram.getSocketAddress();
        last = Arrays.copyOf(datagram.getData(), datagram.getLength());
        return last;
    }

    /** The datagram that came last. */
    byte[] last() {
        return last;
    }

    /** Who sent it. */
    InetSocketAddress lastSender() {
        return lastSender;
    }

    /** Throws away what has come. */
    void drain() throws IOException {
        while (!isSilent(200)) {
            continue;
        }
    }

    Packet receivePacket() throws IOException {
        Packet packet = Packet.of(Unpooled.wrappedBuffer(receive()));
        packet.checkOptions();
        return packet;
    }

    /** The error that the node answers with; fails if it says anything else or nothing. */
    ErrorCode refusal() throws IOException {
        Packet packet = receivePacket();
        if (packet.typeId() != Anep.TYPE_ERROR) {
            throw new IOException("the node sent " + packet);
        }
        return packet.options().error().code();
    }

    /** Whether nothing comes for a while. */
    boolean isSilent(int millis) throws IOException {
        socket.setSoTimeout(millis);
        try {
            receive();
            return false;
        } catch (SocketTimeoutException e) {
            return true;
        } finally {
            socket.setSoTimeout(PATIENCE_MILLIS);
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
