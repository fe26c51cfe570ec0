package org.tamanoir.node.stream;

import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.node.transport.TcpLeg;

/** Reads what a leg has counted now and then, so that a packet itself costs the counters of the node nothing. */
final class LegMeter {
    private long packets;
    private long received;
    private long sent;

    /** Adds what has come since the last reading. */
    void read(TcpLeg leg, LongAdder packetsTotal, LongAdder receivedTotal, LongAdder sentTotal) {
        packetsTotal.add(leg.packets() - packets);
        receivedTotal.add(leg.received() - received);
        sentTotal.add(leg.sent() - sent);
        packets = leg.packets();
        received = leg.received();
        sent = leg.sent();
    }
}
