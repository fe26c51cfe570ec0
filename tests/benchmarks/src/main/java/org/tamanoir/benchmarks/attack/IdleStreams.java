package org.tamanoir.benchmarks.attack;

import java.net.InetAddress;
import java.util.List;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.Descriptors;

/** Streams that have passed one packet, and then nothing. A node needs two descriptors for each, and so does this process. */
final class IdleStreams extends Attack {
    private static final int STREAMS = 10_000;
    /** For the node to notice that nothing moves and to give buffers back. */
    private static final long SILENCE_MILLIS = 3000;

    @Override
    int streams() {
        return Descriptors.pairs(STREAMS);
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
