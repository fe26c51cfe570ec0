package org.tamanoir.benchmarks.soak;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.Anep;

/** Takes the streams of a soak, over TCP and UDP: one thread, one selector. Ends with its process. */
final class Receiver implements Runnable {
    private static final int DATAGRAM_BUFFER = 4 << 20;

    private final Selector selector = Selector.open();
    private final ServerSocketChannel server = ServerSocketChannel.open();
    private final DatagramChannel datagrams = DatagramChannel.open();
    private final ByteBuffer datagram = ByteBuffer.allocate(Anep.MAX_PACKET);
    private final Delays delays = new Delays();
    private final List<Inbound> streams = new ArrayList<>();
    private final Map<Long, StreamLedger> datagramStreams = new HashMap<>();
    /** Datagrams from which no stream can be told. */
    private final StreamLedger strays = new StreamLedger(true);
    private int open;
    private long lastDatagram = System.nanoTime();

    Receiver(InetAddress address) throws IOException {
        server.bind(new InetSocketAddress(address, 0), 1024);
        server.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
        datagrams.setOption(StandardSocketOptions.SO_RCVBUF, DATAGRAM_BUFFER);
        datagrams.bind(new InetSocketAddress(address, 0));
        datagrams.configureBlocking(false).register(selector, SelectionKey.OP_READ);
    }

    int tcpPort() {
        return server.socket().getLocalPort();
    }

    int udpPort() {
        return datagrams.socket().getLocalPort();
    }

    @Override
    public void run() {
        try {
            while (true) {
                selector.select();
                turn();
            }
        } catch (IOException e) {
            throw new IllegalStateException("the receiver's selector failed", e);
        }
    }

    private synchronized void turn() throws IOException {
        for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext();) {
            SelectionKey key = keys.next();
            keys.remove();
            if (key.channel() == server) {
                accept();
            } else if (key.channel() == datagrams) {
                receive();
            } else if (!((Inbound) key.attachment()).read()) {
                open--;
            }
        }
    }

    private void accept() throws IOException {
        SocketChannel channel = server.accept();
        Inbound stream = new Inbound(channel, delays);
        channel.configureBlocking(false).register(selector, SelectionKey.OP_READ, stream);
        streams.add(stream);
        open++;
    }

    private void receive() throws IOException {
        while (datagrams.receive(datagram.clear()) != null) {
            lastDatagram = System.nanoTime();
            datagram.flip();
            int header = datagram.limit() < Anep.HEADER_SIZE ? 0 : (datagram.getShort(4) & 0xFFFF) * Anep.WORD;
            int length = datagram.limit() - header;
            if (header < Anep.HEADER_SIZE || !SoakPacket.isIntact(datagram, header, length)) {
                strays.takeDamaged();
                continue;
            }
            Inbound.enter(datagramStreams.computeIfAbsent(SoakPacket.stream(datagram, header), id -> new StreamLedger(true)),
                    datagram, header, length, delays, lastDatagram);
        }
    }

    /** TCP streams that have not ended. */
    synchronized int open() {
        return open;
    }

    /** Nanoseconds since a datagram came. */
    synchronized long datagramSilence() {
        return System.nanoTime() - lastDatagram;
    }

    /** The books as they stand. */
    synchronized Received received() {
        List<ReceivedStream> accounts = new ArrayList<>();
        streams.stream().filter(Inbound::isStream).map(Inbound::account).forEach(accounts::add);
        datagramStreams.values().stream().map(StreamLedger::account).forEach(accounts::add);
        if (strays.account().damaged() > 0) {
            accounts.add(strays.account());
        }
        return new Received(accounts, delays.parts());
    }
}
