package org.tamanoir.benchmarks.qos.edge;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.lab.FlowReceiver;
import org.tamanoir.lab.PacketSocket;
import org.tamanoir.lab.QosTestbed;

/**
 * With which code point the datagrams of a flow arrive at the far end of the bottleneck, and when a flood that crosses it too begins and ends: by
 * what is on the wire, all by one clock.
 */
public final class CodePoints implements AutoCloseable {
    private static final int MOST = 100_000;
    private static final int UDP = 17;

    /** From a packet on, the flow had a code point. @param at {@link System#nanoTime} */
    public record Change(long at, int codePoint) {
    }

    private final List<Change> changes = new ArrayList<>();
    private final PacketSocket packets;
    private long firstOfFlood;
    private long lastOfFlood;
    private long floodPackets;

    public CodePoints(QosTestbed testbed) {
        packets = PacketSocket.open(testbed.egress(), this::look);
    }

    /** Of IPv4, and of UDP. */
    private synchronized void look(byte[] packet, int segment) {
        int header = (packet[0] & 0xF) * 4;
        if ((packet[0] & 0xF0) != 0x40 || packet[9] != UDP || packet.length < header + 4) {
            return;
        }
        int port = (packet[header + 2] & 0xFF) << 8 | packet[header + 3] & 0xFF;
        int codePoint = (packet[1] & 0xFF) >> 2;
        if (port == FlowReceiver.PORT) {
            long now = System.nanoTime();
            firstOfFlood = floodPackets++ == 0 ? now : firstOfFlood;
            lastOfFlood = now;
        } else if (port == EdgeNetwork.PORT && now() != codePoint && changes.size() < MOST) {
            changes.add(new Change(System.nanoTime(), codePoint));
        }
    }

    /** Forgets the flood, and what the flow had before it has now. */
    public synchronized void clear() {
        floodPackets = 0;
        if (changes.size() > 1) {
            changes.subList(0, changes.size() - 1).clear();
        }
    }

    /** When the first packet of the flood arrived; 0 if none has. */
    public synchronized long firstOfFlood() {
        return floodPackets == 0 ? 0 : firstOfFlood;
    }

    /** When the last one did. */
    public synchronized long lastOfFlood() {
        return floodPackets == 0 ? 0 : lastOfFlood;
    }

    /** Since the last {@link #clear}, and the last one before. */
    public synchronized List<Change> changes() {
        return List.copyOf(changes);
    }

    /** The code point of the newest packet of the flow; -1 if there was none. */
    public synchronized int now() {
        return changes.isEmpty() ? -1 : changes.get(changes.size() - 1).codePoint();
    }

    @Override
    public void close() {
        packets.close();
    }
}
