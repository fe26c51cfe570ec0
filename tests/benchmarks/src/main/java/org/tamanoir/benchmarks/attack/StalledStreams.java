package org.tamanoir.benchmarks.attack;

import java.net.InetAddress;
import java.nio.ByteBuffer;
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
                taken += senders.write(packets);
                Thread.sleep(PAUSE_MILLIS);
            }
            found.add("taken", "MB", taken / 1e6);
            found.add("streams-left", "1", senders.alive());
        }
    }
}
