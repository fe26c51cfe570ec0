package org.tamanoir.node.stream;

import java.net.InetSocketAddress;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.offload.Flow;
import org.tamanoir.node.offload.Offload;

/** The part of a UDP stream that the kernel carries, if it carries one: what has gone that way is read from there. */
final class OffloadedFlow {
    private final Offload offload;
    private Flow flow;
    private long offeredAt = -1;
    private Flow.Counters before = Flow.Counters.NONE;
    private Flow.Counters counted = Flow.Counters.NONE;

    OffloadedFlow(Offload offload) {
        this.offload = offload;
    }

    boolean isOpen() {
        return flow != null && flow.isOpen();
    }

    /** Asks the kernel to carry the packets that are like this one from now on; again only when something there has changed. */
    void offer(Packet packet, InetSocketAddress sender, InetSocketAddress next, InetSocketAddress local, InetSocketAddress target) {
        long now = offload.generation();
        if (now == offeredAt || packet.has(OptionType.CHAIN) || packet.has(OptionType.CHECKSUM)) {
            return;
        }
        offeredAt = now;
        before = counted;
        flow = offload.open(sender, next, local, packet.typeId(), packet.has(OptionType.STREAM) ? packet.streamId() : null, target);
    }

    /** Adds what the kernel has carried since the last time to the counters of the node. */
    void account(StreamCounters counters) {
        if (flow == null) {
            return;
        }
        Flow.Counters now = before.plus(flow.counters());
        counters.packetsIn().add(now.packets() - counted.packets());
        counters.bytesIn().add(now.octets() - counted.octets());
        counters.bytesOut().add(now.octets() - counted.octets());
        counters.packetsBack().add(now.backPackets() - counted.backPackets());
        counters.bytesBack().add(now.backOctets() - counted.backOctets());
        counters.bytesReturned().add(now.backOctets() - counted.backOctets());
        counted = now;
    }

    /** When the kernel carried the last packet, {@link System#nanoTime()}; the smallest number if it has carried none. */
    long lastMoved() {
        return counted.lastNanos() == 0 ? Long.MIN_VALUE : counted.lastNanos();
    }

    long packets() {
        return counted.packets();
    }

    long octets() {
        return counted.octets();
    }

    long backPackets() {
        return counted.backPackets();
    }

    long backOctets() {
        return counted.backOctets();
    }

    void close() {
        if (flow != null) {
            flow.close();
        }
    }
}
