package org.tamanoir.benchmarks.attack;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.benchmarks.process.Build;

/** UDP streams that together bring a hundred times what the link behind the node takes. */
final class SlowLink extends Attack {
    private static final String RATE = "1mbit";
    private static final int STREAMS = 25;
    private static final int PAYLOAD = 1300;
    /** Of each stream, in a second. */
    private static final int DATAGRAMS = 400;
    private static final long TURN = 5_000_000;

    private final Duration time;

    SlowLink(boolean quick) {
        time = Duration.ofSeconds(quick ? 8 : 30);
    }

    @Override
    int streams() {
        return STREAMS;
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
            for (long due = begin; due - begin < time.toNanos(); due += TURN) {
                Pause.until(due);
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
