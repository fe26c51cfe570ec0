package org.tamanoir.benchmarks.attack;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.tamanoir.anep.Anep;

/** Streams that have begun a long packet and send one octet of it each 200 ms. */
final class PartialPackets extends Attack {
    private static final int CONNECTIONS = 2100;
    private static final int PACKET = 60_000;
    private static final int BEGUN = 1000;
    private static final long INTERVAL = 200_000_000;

    private final Duration time;

    PartialPackets(boolean quick) {
        time = Duration.ofSeconds(quick ? 8 : 30);
    }

    @Override
    int streams() {
        return CONNECTIONS;
    }

    @Override
    void run(Victim victim, Found found) throws Exception {
        List<InetAddress> sources = List.of(InetAddress.getByName("127.0.1.1"), InetAddress.getByName("127.0.1.2"), InetAddress.getByName("127.0.1.3"));
        try (Senders senders = new Senders(victim, Packets.MONITORING)) {
            senders.open(CONNECTIONS, sources);
            senders.write(Packets.bare(Packets.MONITORING, PACKET).limit(Anep.HEADER_SIZE + BEGUN));
            ByteBuffer octet = ByteBuffer.allocateDirect(1);
            long end = System.nanoTime() + time.toNanos();
            for (long due = System.nanoTime() + INTERVAL; due < end; due = Math.max(due + INTERVAL, System.nanoTime())) {
                Pause.until(due);
                senders.write(octet);
            }
            found.add("streams-left", "1", senders.alive());
        }
    }
}
