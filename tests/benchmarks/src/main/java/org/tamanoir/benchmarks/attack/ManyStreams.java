package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.attack.Attack.Run;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.ServiceBundle;

/** Attacks by the number of streams, over TCP and UDP. */
final class ManyStreams {
    /** Of {@link #multiply}. */
    private static final int TYPE_ID = 0x5701;
    /** Of a stranger, in a second, from all of his addresses. */
    private static final int DATAGRAMS = 200;
    private static final int SOURCES = 4;

    private ManyStreams() {
    }

    /** Each stream gets as much as the node takes for it. Octets of a write are four packets at most. */
    static void stall(Run run) throws Exception {
        ByteBuffer packets = ByteBuffer.allocateDirect(4 * 8192);
        while (packets.hasRemaining()) {
            packets.put(Packets.bare(Packets.MONITORING, 8192));
        }
        packets.flip();
        try (Senders senders = new Senders(run.victim(), Packets.MONITORING)) {
            senders.open(run.streams(), 1);
            long taken = 0;
            for (long end = System.nanoTime() + run.nanos(); System.nanoTime() < end; Thread.sleep(5)) {
                taken += isKernelFull() ? 0 : senders.write(packets);
            }
            run.found("taken", "MB", taken / 1e6);
            run.found("streams-left", "1", senders.alive());
        }
    }

    /** Whether the kernel has begun to save on buffers of TCP, for all of this machine: beyond that it would be the one that is attacked. */
    private static boolean isKernelFull() throws IOException {
        // Not readString: it reads an octet first, and the kernel gives no second part of such a file.
        long begins = Long.parseLong(Files.readAllLines(Path.of("/proc/sys/net/ipv4/tcp_mem")).get(0).split("\\s+")[0]);
        // TCP: inuse 27 orphan 0 tw 0 alloc 27 mem 3
        return Files.readAllLines(Path.of("/proc/net/sockstat")).stream().filter(line -> line.startsWith("TCP:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1))).sum() >= begins;
    }

    /** Begins a long packet on each connection, and sends one octet of it each 200 ms. */
    static void sendInParts(Run run) throws Exception {
        try (Senders senders = new Senders(run.victim(), Packets.MONITORING)) {
            senders.open(run.streams(), 3);
            senders.write(Packets.bare(Packets.MONITORING, 60_000).limit(Anep.HEADER_SIZE + 1000));
            press(run, senders, ByteBuffer.allocateDirect(1), 200_000_000);
            run.found("streams-left", "1", senders.alive());
        }
    }

    /** A packet at a time, so that no batch of the service is large, and sooner than the service's threads are done with the one before. */
    static void multiply(Run run) throws Exception {
        ServiceBundle bundle = new ServiceBundle("multiplier", TYPE_ID, "heavy", Multiplier.class);
        run.victim().node().admin().deploy(bundle.in(run.victim().workbench.folder("bundles")));
        ByteBuffer packet = Packets.bare(TYPE_ID, 64);
        try (Senders senders = new Senders(run.victim(), TYPE_ID)) {
            senders.open(run.streams(), 1);
            long taken = press(run, senders, packet, 1_000_000);
            run.found("asked-for", "MB", taken / packet.capacity() * Multiplier.COPIES * Multiplier.PAYLOAD / 1e6);
            run.found("streams-left", "1", senders.alive());
        }
    }

    /** Writes the same to all streams at an interval; nothing is made up for when it is late. @return octets taken */
    private static long press(Run run, Senders senders, ByteBuffer octets, long interval) throws InterruptedException {
        long taken = 0;
        long begin = System.nanoTime();
        for (long due = begin; due - begin < run.nanos(); due = Math.max(due + interval, System.nanoTime())) {
            Attack.until(due);
            taken += senders.write(octets);
        }
        return taken;
    }

    /** Streams that have passed one packet, and then nothing, until the node has noticed that nothing moves and has given buffers back. */
    static void stayIdle(Run run) throws Exception {
        try (Senders senders = new Senders(run.victim(), Packets.MONITORING)) {
            senders.open(run.streams(), 2);
            Attack.until(System.nanoTime() + run.nanos());
            run.found("resident", "MB", run.victim().node().tree().resident() / 1e6);
        }
    }

    /** Brings a hundred times what the link behind the node takes: 400 datagrams a second of each stream, two each 5 ms. */
    static void overfill(Run run) throws Exception {
        Victim victim = run.victim();
        try (DatagramChannel sink = victim.beyond(); DatagramChannel sender = victim.inside(DatagramChannel::open)) {
            List<ByteBuffer> datagrams = new ArrayList<>();
            for (int i = 1; i <= run.streams(); i++) {
                datagrams.add(Packets.datagram((InetSocketAddress) sink.getLocalAddress(), i, 1300));
            }
            sender.connect(victim.node().address());
            long sent = 0;
            long begin = System.nanoTime();
            for (long due = begin; due - begin < run.nanos(); due += 5_000_000) {
                Attack.until(due);
                for (ByteBuffer datagram : datagrams) {
                    sent += sender.write(datagram.duplicate()) + sender.write(datagram.duplicate());
                }
            }
            run.found("offered", "Mbit/s", sent * 8e3 / (System.nanoTime() - begin));
        }
    }

    /** UDP streams that nobody asked for, from addresses that may be false: loopback lets a sender take any. Can others still open TCP streams? */
    static void intrude(Run run) throws Exception {
        int tries = 20;
        List<DatagramChannel> sources = new ArrayList<>();
        try (DatagramChannel sink = DatagramChannel.open().bind(run.victim().near())) {
            for (int i = 1; i <= SOURCES; i++) {
                sources.add(DatagramChannel.open().bind(new InetSocketAddress("127.0.2." + i, 0)));
            }
            if (!getsIn(run.victim(), 1)) {
                throw new LabException("no TCP stream gets in before the stranger comes");
            }
            Attack.start("stranger", () -> flood(run, sources, (InetSocketAddress) sink.getLocalAddress()));
            // Until each id has been seen once.
            Thread.sleep(1000L * run.streams() / DATAGRAMS + 500);
            long begin = System.nanoTime();
            int in = 0;
            for (int i = 0; i < tries; i++) {
                Attack.until(begin + i * 500_000_000L);
                in += getsIn(run.victim(), i + 2) ? 1 : 0;
            }
            run.found("tcp-streams-let-in", "of " + tries, in);
        } finally {
            for (DatagramChannel source : sources) {
                source.close();
            }
        }
    }

    private static void flood(Run run, List<DatagramChannel> sources, InetSocketAddress destination) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        for (long i = 0;; i++) {
            int stream = (int) (i % run.streams());
            ByteBuffer datagram = Packets.opening(Packets.MONITORING, destination, stream / SOURCES + 1, 16);
            sources.get(stream % SOURCES).send(datagram, run.victim().node().address());
            Attack.until(begin + (i + 1) * 1_000_000_000L / DATAGRAMS);
        }
    }

    private static boolean getsIn(Victim victim, int id) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(victim.near());
                SocketChannel stream = SocketChannel.open(victim.node().address())) {
            stream.write(Packets.opening(Packets.MONITORING, (InetSocketAddress) server.getLocalAddress(), id, 16));
            server.socket().setSoTimeout(2000);
            server.socket().accept().close();
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }
}
