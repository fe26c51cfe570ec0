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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.soak.Books.Part;
import org.tamanoir.benchmarks.soak.Books.Received;
import org.tamanoir.benchmarks.soak.Books.ReceivedStream;

/** Takes the streams of a soak, over TCP and UDP: one thread, one selector. Ends with its process. */
final class Receiver implements Runnable {
    private static final int DATAGRAM_BUFFER = 4 << 20;

    private final Selector selector = Selector.open();
    private final ServerSocketChannel server = ServerSocketChannel.open();
    private final DatagramChannel datagrams = DatagramChannel.open();
    private final ByteBuffer datagram = ByteBuffer.allocate(Anep.MAX_PACKET);
    private final Map<Integer, Part> delays = new TreeMap<>();
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
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.channel() == server) {
                SocketChannel channel = server.accept();
                Inbound stream = new Inbound(channel);
                channel.configureBlocking(false).register(selector, SelectionKey.OP_READ, stream);
                streams.add(stream);
                open++;
            } else if (key.channel() == datagrams) {
                receive();
            } else if (!((Inbound) key.attachment()).read()) {
                key.channel().close();
                open--;
            }
        }
        selector.selectedKeys().clear();
    }

    private void receive() throws IOException {
        while (datagrams.receive(datagram.clear()) != null) {
            lastDatagram = System.nanoTime();
            datagram.flip();
            int header = datagram.limit() < Anep.HEADER_SIZE ? 0 : header(datagram, 0);
            SoakPacket packet = header < Anep.HEADER_SIZE ? null : SoakPacket.read(datagram, header, datagram.limit() - header);
            enter(packet == null ? strays : datagramStreams.computeIfAbsent(packet.stream(), id -> new StreamLedger(true)), packet, lastDatagram);
        }
    }

    /** Octets of a packet's header with its options. */
    private static int header(ByteBuffer in, int at) {
        return (in.getShort(at + 4) & 0xFFFF) * Anep.WORD;
    }

    /** Enters one packet and its delay; mark 0 is not counted. */
    private void enter(StreamLedger ledger, SoakPacket packet, long now) {
        if (ledger.take(packet) && packet.mark() != 0) {
            Part part = delays.computeIfAbsent(packet.mark(), mark -> new Part(mark, Books.delays(), Books.delays()));
            Books.enter(part.all(), now - packet.due());
            if (packet.sequence() == 0) {
                Books.enter(part.opening(), now - packet.due());
            }
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

    /** The books as they stand. A connection without an octet is no stream. */
    synchronized Received received() {
        List<ReceivedStream> accounts = new ArrayList<>();
        streams.stream().filter(stream -> stream.anything).map(stream -> stream.ledger.account()).forEach(accounts::add);
        datagramStreams.values().stream().map(StreamLedger::account).forEach(accounts::add);
        if (strays.account().damaged() > 0) {
            accounts.add(strays.account());
        }
        return new Received(accounts, List.copyOf(delays.values()));
    }

    /** One TCP stream that arrives: cuts its octets into packets and enters each in a ledger. */
    private final class Inbound {
        private final SocketChannel channel;
        private final StreamLedger ledger = new StreamLedger(false);
        /** Room for the longest packet and as much again; given back with the end of the stream. */
        private ByteBuffer buffer = ByteBuffer.allocate(2 * (Anep.MAX_PACKET + 1));
        private boolean anything;

        Inbound(SocketChannel channel) {
            this.channel = channel;
        }

        /** Reads once what is there. @return whether more may come */
        boolean read() {
            boolean more = false;
            try {
                int read = channel.read(buffer);
                anything |= read > 0;
                more = read >= 0 && takePackets(System.nanoTime());
                if (read < 0 && buffer.position() == 0) {
                    ledger.end();
                } else if (!more) {
                    ledger.take(null);
                }
            } catch (IOException e) {
                // A reset: the ledger stays without an end.
            }
            buffer = more ? buffer : null;
            return more;
        }

        /** @return false if what stands there can be no packet */
        private boolean takePackets(long now) {
            buffer.flip();
            while (buffer.remaining() >= Anep.HEADER_SIZE) {
                int at = buffer.position();
                int header = header(buffer, at);
                int length = buffer.getShort(at + 6) & 0xFFFF;
                if (buffer.get(at) != Anep.VERSION || header < Anep.HEADER_SIZE || length < header) {
                    return false;
                }
                if (buffer.remaining() < length) {
                    break;
                }
                enter(ledger, SoakPacket.read(buffer, at + header, length - header), now);
                buffer.position(at + length);
            }
            buffer.compact();
            return true;
        }
    }
}
