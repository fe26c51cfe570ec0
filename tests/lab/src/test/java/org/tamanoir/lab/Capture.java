package org.tamanoir.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** What arrives at a host, as it stood on the wire: IP packets, in order, at most a million of them. */
public final class Capture implements AutoCloseable {
    private static final int MOST = 1_000_000;

    private final PacketSocket socket;
    private final List<IpPacket> packets = new ArrayList<>();

    private Capture(Host host) {
        socket = PacketSocket.open(host, this::arrived);
    }

    /** Keeps what arrives from now on, of all interfaces. */
    public static Capture at(Host host) {
        return new Capture(host);
    }

    private void arrived(byte[] packet, int segment) {
        if (segment > 0) {
            IpPacket.cut(packet, segment).forEach(this::keep);
        } else {
            keep(IpPacket.read(packet));
        }
    }

    private synchronized void keep(IpPacket packet) {
        if (packet != null && packets.size() < MOST) {
            packets.add(packet);
        }
    }

    /** What has arrived and is wanted, in order. */
    public synchronized List<IpPacket> packets(Predicate<IpPacket> wanted) {
        return packets.stream().filter(wanted).toList();
    }

    /** Forgets what has arrived. */
    public synchronized void clear() {
        packets.clear();
    }

    /** Waits until so many wanted packets have arrived. @throws LabException if they do not in time */
    public List<IpPacket> await(int count, Duration patience, Predicate<IpPacket> wanted) {
        return Waiting.until(patience, 10, () -> packets(wanted), found -> found.size() >= count,
                found -> "only " + found.size() + " packets of " + count + " have arrived: " + found.stream().limit(20).toList());
    }

    @Override
    public void close() {
        socket.close();
    }
}
