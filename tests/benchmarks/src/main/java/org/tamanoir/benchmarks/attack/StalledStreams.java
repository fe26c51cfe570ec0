package org.tamanoir.benchmarks.attack;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.tamanoir.benchmarks.process.Build;

/** Streams whose receivers do not read. Each gets as much as the node takes for it. */
final class StalledStreams extends Attack {
    private static final int STREAMS = 4096;
    private static final int PACKET = 8192;
    /** Octets of a write are that many packets at most. */
    private static final int PACKETS = 4;
    private static final long PAUSE_MILLIS = 5;

    private final Duration time;

    StalledStreams(boolean quick) {
        time = Duration.ofSeconds(quick ? 10 : 30);
    }

    @Override
    int streams() {
        return STREAMS;
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
            for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() < end;) {
                if (!isKernelFull()) {
                    taken += senders.write(packets);
                }
                Thread.sleep(PAUSE_MILLIS);
            }
            found.add("taken", "MB", taken / 1e6);
            found.add("streams-left", "1", senders.alive());
        }
    }

    /** Whether the kernel has begun to save on buffers of TCP, for everybody on this machine: beyond that it would be the one that is attacked. */
    private static boolean isKernelFull() throws IOException {
        // Not readString: it reads an octet first, and the kernel gives no second part of such a file.
        long begins = Long.parseLong(Files.readAllLines(Path.of("/proc/sys/net/ipv4/tcp_mem")).get(0).split("\\s+")[0]);
        // TCP: inuse 27 orphan 0 tw 0 alloc 27 mem 3
        return Files.readAllLines(Path.of("/proc/net/sockstat")).stream().filter(line -> line.startsWith("TCP:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1))).sum() >= begins;
    }
}
