package org.tamanoir.benchmarks.attack;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.tamanoir.benchmarks.bundle.ServiceBundle;

/** Streams through a heavy service that makes ten packets of 8 KB of one of 64 octets, to receivers that do not read. */
final class HeavyService extends Attack {
    private static final int TYPE_ID = 0x5701;
    private static final int STREAMS = 16;
    private static final int PACKET = 64;
    /** A packet at a time, so that no batch of the service is large, and sooner than the service's threads are done with the one before. */
    private static final long INTERVAL = 1_000_000;

    private final Duration time;

    HeavyService(boolean quick) {
        time = Duration.ofSeconds(quick ? 8 : 20);
    }

    @Override
    int streams() {
        return STREAMS;
    }

    @Override
    void run(Victim victim, Found found) throws Exception {
        victim.node().admin().deploy(new ServiceBundle("multiplier", TYPE_ID, "1.0.0", "heavy", Multiplier.class).in(victim.workbench().folder("bundles")));
        try (Senders senders = new Senders(victim, TYPE_ID)) {
            senders.open(STREAMS, List.of(InetAddress.getByName("127.0.1.1")));
            ByteBuffer packet = Packets.bare(TYPE_ID, PACKET);
            long taken = 0;
            long begin = System.nanoTime();
            for (long due = begin; due - begin < time.toNanos(); due = Math.max(due + INTERVAL, System.nanoTime())) {
                Pause.until(due);
                taken += senders.write(packet);
            }
            found.add("asked-for", "MB", taken / PACKET * Multiplier.COPIES * Multiplier.PAYLOAD / 1e6);
            found.add("streams-left", "1", senders.alive());
        }
    }
}
