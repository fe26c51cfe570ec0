package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.Descriptors;
import org.tamanoir.lab.ServiceBundle;

/** Attacks with many TCP streams. */
final class TcpAttacks {
    private TcpAttacks() {
    }

    /** Streams whose receivers do not read. Each gets as much as the node takes for it. */
    static final class StalledStreams extends Attack {
        private static final int STREAMS = 4096;
        private static final int PACKET = 8192;
        /** Octets of a write are that many packets at most. */
        private static final int PACKETS = 4;
        private static final long PAUSE_MILLIS = 5;

        StalledStreams(boolean quick) {
            super(STREAMS, quick ? 10 : 30);
        }

        @Override
        Victim victim(Build build) {
            return Victim.onLoopback(build, 2 * STREAMS);
        }

        @Override
        void run(Victim victim, Found found) throws Exception {
            try (Senders senders = new Senders(victim, Packets.MONITORING)) {
                senders.open(STREAMS, List.of(InetAddress.getByName("127.0.1.1")));
                ByteBuffer packets = ByteBuffer.allocateDirect(PACKETS * PACKET);
                for (int i = 0; i < PACKETS; i++) {
                    packets.put(Packets.bare(Packets.MONITORING, PACKET));
                }
                packets.flip();
                long taken = 0;
                for (long end = System.nanoTime() + nanos(); System.nanoTime() < end;) {
                    if (!isKernelFull()) {
                        taken += senders.write(packets);
                    }
                    Thread.sleep(PAUSE_MILLIS);
                }
                found.add("taken", "MB", taken / 1e6);
                found.add("streams-left", "1", senders.alive());
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
    }

    /** Streams that have begun a long packet and send one octet of it each 200 ms. */
    static final class PartialPackets extends Attack {
        private static final int CONNECTIONS = 2100;
        private static final int PACKET = 60_000;
        private static final int BEGUN = 1000;
        private static final long INTERVAL = 200_000_000;

        PartialPackets(boolean quick) {
            super(CONNECTIONS, quick ? 8 : 30);
        }

        @Override
        void run(Victim victim, Found found) throws Exception {
            List<InetAddress> sources = List.of(InetAddress.getByName("127.0.1.1"), InetAddress.getByName("127.0.1.2"),
                    InetAddress.getByName("127.0.1.3"));
            try (Senders senders = new Senders(victim, Packets.MONITORING)) {
                senders.open(CONNECTIONS, sources);
                senders.write(Packets.bare(Packets.MONITORING, PACKET).limit(Anep.HEADER_SIZE + BEGUN));
                ByteBuffer octet = ByteBuffer.allocateDirect(1);
                long end = System.nanoTime() + nanos();
                for (long due = System.nanoTime() + INTERVAL; due < end; due = Math.max(due + INTERVAL, System.nanoTime())) {
                    Attack.until(due);
                    senders.write(octet);
                }
                found.add("streams-left", "1", senders.alive());
            }
        }
    }

    /** Streams through a heavy service that makes ten packets of 8 KB of one of 64 octets, to receivers that do not read. */
    static final class HeavyService extends Attack {
        private static final int TYPE_ID = 0x5701;
        private static final int STREAMS = 16;
        private static final int PACKET = 64;
        /** A packet at a time, so that no batch of the service is large, and sooner than the service's threads are done with the one before. */
        private static final long INTERVAL = 1_000_000;

        HeavyService(boolean quick) {
            super(STREAMS, quick ? 8 : 20);
        }

        @Override
        void run(Victim victim, Found found) throws Exception {
            ServiceBundle bundle = new ServiceBundle("multiplier", TYPE_ID, "heavy", Multiplier.class);
            victim.node().admin().deploy(bundle.in(victim.workbench().folder("bundles")));
            try (Senders senders = new Senders(victim, TYPE_ID)) {
                senders.open(STREAMS, List.of(InetAddress.getByName("127.0.1.1")));
                ByteBuffer packet = Packets.bare(TYPE_ID, PACKET);
                long taken = 0;
                long begin = System.nanoTime();
                for (long due = begin; due - begin < nanos(); due = Math.max(due + INTERVAL, System.nanoTime())) {
                    Attack.until(due);
                    taken += senders.write(packet);
                }
                found.add("asked-for", "MB", taken / PACKET * Multiplier.COPIES * Multiplier.PAYLOAD / 1e6);
                found.add("streams-left", "1", senders.alive());
            }
        }
    }

    /** Streams that have passed one packet, and then nothing. A node needs two descriptors for each, and so does this process. */
    static final class IdleStreams extends Attack {
        private static final int STREAMS = 10_000;
        /** For the node to notice that nothing moves and to give buffers back. */
        private static final long SILENCE_MILLIS = 3000;

        IdleStreams() {
            super(Descriptors.pairs(STREAMS), 0);
        }

        @Override
        Victim victim(Build build) {
            return Victim.onLoopback(build, 2 * STREAMS);
        }

        @Override
        void run(Victim victim, Found found) throws Exception {
            try (Senders senders = new Senders(victim, Packets.MONITORING)) {
                senders.open(streams(), List.of(InetAddress.getByName("127.0.1.1"), InetAddress.getByName("127.0.1.2")));
                Thread.sleep(SILENCE_MILLIS);
                found.add("resident", "MB", victim.node().tree().resident() / 1e6);
            }
        }
    }
}
