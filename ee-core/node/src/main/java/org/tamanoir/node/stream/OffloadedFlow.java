package org.tamanoir.node.stream;

import java.net.InetSocketAddress;
import java.util.function.LongSupplier;
import org.tamanoir.anep.OptionType;
import org.tamanoir.anep.Packet;
import org.tamanoir.node.offload.Flow;

/** The part of a UDP stream that the kernel carries, if it carries one: what has gone that way is read from there. */
final class OffloadedFlow {
    /** After so long a stream that never pauses is handed over though a few datagrams may be overtaken. */
    private static final long PATIENCE_NANOS = 1_000_000_000;
    /** Turns that it takes to tell such a stream from a loop that got no processor. */
    private static final int PATIENCE_TURNS = 100;

    private final Flow.Carrier kernel;
    private final LongSupplier nanoTime;
    private Flow flow;
    private long offeredAt = -1;
    /** Turns in which datagrams have come up since the kernel was asked, and when the first did. */
    private int turns;
    private long since;
    private final int[] up = new int[2];
    private boolean wanted;
    private int typeId;
    private Long streamId;
    private Flow.Counters before = Flow.Counters.NONE;
    private Flow.Counters counted = Flow.Counters.NONE;

    OffloadedFlow(Flow.Carrier kernel) {
        this(kernel, System::nanoTime);
    }

    OffloadedFlow(Flow.Carrier kernel, LongSupplier nanoTime) {
        this.kernel = kernel;
        this.nanoTime = nanoTime;
    }

    boolean isOpen() {
        return flow != null && flow.isOpen();
    }

    /** A packet has gone on that the kernel could carry the like of; it is asked again only when something there has changed. */
    void want(Packet packet) {
        if (!wanted && kernel.generation() != offeredAt && !packet.has(OptionType.CHAIN) && !packet.has(OptionType.CHECKSUM)) {
            wanted = true;
            typeId = packet.typeId();
            streamId = packet.has(OptionType.STREAM) ? packet.streamId() : null;
        }
    }

    /** Asks the kernel to carry the packets that are like the one that was wanted; it begins when {@link #turnOver} lets it. */
    void offer(InetSocketAddress sender, InetSocketAddress next, InetSocketAddress local, InetSocketAddress target) {
        if (wanted) {
            wanted = false;
            offeredAt = kernel.generation();
            before = counted;
            flow = kernel.open(sender, next, local, typeId, streamId, target);
            turns = 0;
        }
    }

    /** A datagram of a direction has come up: remembers how many the kernel has let go up so far; the rest of this turn reads them all. */
    void cameUp(boolean back) {
        if (flow != null) {
            up[back ? 1 : 0] = flow.up(back);
            if (turns == 0) {
                turns = 1;
                since = nanoTime.getAsLong();
            }
        }
    }

    /** A turn of reading is over and what it read is on its way: the kernel may carry a direction if the socket is empty. */
    void turnOver(boolean back, boolean drained) {
        if (flow != null && turns > 0 && ++turns > PATIENCE_TURNS && nanoTime.getAsLong() - since > PATIENCE_NANOS) {
            flow.open();
        } else if (flow != null && drained) {
            flow.handled(back, up[back ? 1 : 0]);
        }
    }

    /**
     * Adds what the kernel has carried since the last time to the counters of the node.
     *
     * @return answers among it: their handlers have not seen them
     */
    long account(StreamCounters counters) {
        if (flow == null) {
            return 0;
        }
        Flow.Counters now = before.plus(flow.counters());
        counters.packetsIn().add(now.packets() - counted.packets());
        counters.bytesIn().add(now.octets() - counted.octets());
        counters.bytesOut().add(now.octets() - counted.octets());
        long answers = now.backPackets() - counted.backPackets();
        counters.packetsBack().add(answers);
        counters.bytesBack().add(now.backOctets() - counted.backOctets());
        counters.bytesReturned().add(now.backOctets() - counted.backOctets());
        counted = now;
        return answers;
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
