package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.lab.LabException;

/** Attacks with many UDP streams. */
final class UdpAttacks {
    private UdpAttacks() {
    }

    /** UDP streams that together bring a hundred times what the link behind the node takes. */
    static final class SlowLink extends Attack {
        private static final String RATE = "1mbit";
        private static final int STREAMS = 25;
        private static final int PAYLOAD = 1300;
        /** Of each stream, in a second. */
        private static final int DATAGRAMS = 400;
        private static final long TURN = 5_000_000;

        SlowLink(boolean quick) {
            super(STREAMS, quick ? 8 : 30);
        }

        @Override
        Victim victim(Build build) {
            return Victim.beforeALink(build, RATE);
        }

        @Override
        void run(Victim victim, Found found) throws Exception {
            try (DatagramChannel sink = victim.insideBeyond(DatagramChannel::open); DatagramChannel sender = victim.inside(DatagramChannel::open)) {
                sink.bind(victim.beyond());
                List<ByteBuffer> datagrams = new ArrayList<>();
                for (int i = 0; i < STREAMS; i++) {
                    datagrams.add(Packets.datagram((InetSocketAddress) sink.getLocalAddress(), i + 1, PAYLOAD));
                }
                sender.connect(victim.node().address());
                long sent = 0;
                long begin = System.nanoTime();
                for (long due = begin; due - begin < nanos(); due += TURN) {
                    Attack.until(due);
                    for (ByteBuffer datagram : datagrams) {
                        for (int i = 0; i < DATAGRAMS * TURN / 1_000_000_000L; i++) {
                            sent += sender.write(datagram.duplicate());
                        }
                    }
                }
                found.add("offered", "Mbit/s", sent * 8e3 / (System.nanoTime() - begin));
            }
        }
    }

    /** UDP streams that nobody asked for, from addresses that may be false: loopback lets a sender take any. Can others still open TCP streams? */
    static final class Stranger extends Attack {
        private static final int SOURCES = 4;
        private static final int IDS = 1024;
        /** Of all sources, in a second. */
        private static final int DATAGRAMS = 200;
        private static final int TRIES = 20;
        private static final long TRY_INTERVAL = 500_000_000;
        private static final int PATIENCE_MILLIS = 2000;

        Stranger() {
            super(SOURCES * IDS, 0);
        }

        @Override
        void run(Victim victim, Found found) throws Exception {
            List<DatagramChannel> sources = new ArrayList<>();
            try (DatagramChannel sink = DatagramChannel.open()) {
                sink.bind(victim.near());
                for (int i = 0; i < SOURCES; i++) {
                    sources.add(DatagramChannel.open().bind(new InetSocketAddress("127.0.2." + (i + 1), 0)));
                }
                if (!getsIn(victim, 0)) {
                    throw new LabException("no TCP stream gets in before the stranger comes");
                }
                Thread flood = new Thread(() -> flood(sources, victim.node().address(), sink), "stranger");
                flood.setDaemon(true);
                flood.start();
                // Until each id has been seen once.
                Thread.sleep(1000L * SOURCES * IDS / DATAGRAMS + 500);
                long begin = System.nanoTime();
                int in = 0;
                for (int i = 0; i < TRIES; i++) {
                    Attack.until(begin + i * TRY_INTERVAL);
                    in += getsIn(victim, i + 1) ? 1 : 0;
                }
                found.add("tcp-streams-let-in", "of " + TRIES, in);
                flood.interrupt();
                flood.join();
            } finally {
                for (DatagramChannel source : sources) {
                    source.close();
                }
            }
        }

        private static void flood(List<DatagramChannel> sources, InetSocketAddress node, DatagramChannel sink) {
            try {
                InetSocketAddress destination = (InetSocketAddress) sink.getLocalAddress();
                long due = System.nanoTime();
                for (int i = 0;; i = (i + 1) % (SOURCES * IDS)) {
                    ByteBuffer datagram = Packets.opening(Packets.MONITORING, destination, i / SOURCES + 1, 16);
                    sources.get(i % SOURCES).send(datagram, node);
                    due += 1_000_000_000L / DATAGRAMS;
                    Attack.until(due);
                }
            } catch (InterruptedException | IOException e) {
                // It is told to end.
            }
        }

        private static boolean getsIn(Victim victim, int id) throws IOException {
            try (ServerSocketChannel server = ServerSocketChannel.open().bind(victim.near());
                    SocketChannel stream = SocketChannel.open(victim.node().address())) {
                stream.write(Packets.opening(Packets.MONITORING, (InetSocketAddress) server.getLocalAddress(), id + 1, 16));
                server.socket().setSoTimeout(PATIENCE_MILLIS);
                server.socket().accept().close();
                return true;
            } catch (SocketTimeoutException e) {
                return false;
            }
        }
    }
}
