package org.tamanoir.tests;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.util.Arrays;
import org.tamanoir.anep.Anep;
import org.tamanoir.lab.Host;

/** A UDP socket on a host of a laboratory. */
final class LabPeer implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 5000;

    private final DatagramSocket socket;
    private InetSocketAddress lastSender;

    /** @param port 0 for any */
    LabPeer(Host host, InetAddress address, int port) throws Exception {
        socket = host.inside(() -> new DatagramSocket(new InetSocketAddress(address, port)));
        socket.setReceiveBufferSize(4 << 20);
        socket.setSoTimeout(PATIENCE_MILLIS);
    }

    /** Sends with a code point from now on. */
    LabPeer dscp(int codePoint) throws IOException {
        socket.setOption(StandardSocketOptions.IP_TOS, codePoint << 2);
        return this;
    }

    LabPeer send(byte[] octets, InetSocketAddress to) throws IOException {
        socket.send(new DatagramPacket(octets, octets.length, to));
        return this;
    }

    /** The next datagram; fails if none comes. */
    byte[] receive() throws IOException {
        DatagramPacket datagram = new DatagramPacket(new byte[Anep.MAX_PACKET], Anep.MAX_PACKET);
        socket.receive(datagram);
        lastSender = (InetSocketAddress) datagram.getSocketAddress();
        return Arrays.copyOf(datagram.getData(), datagram.getLength());
    }

    /** Answers whoever sent the last datagram. */
    LabPeer answer(byte[] octets) throws IOException {
        return send(octets, lastSender);
    }

    InetSocketAddress lastSender() {
        return lastSender;
    }

    int port() {
        return socket.getLocalPort();
    }

    /** Throws away what has come. */
    void drain() throws IOException {
        while (!isSilent(200)) {
            continue;
        }
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
