package org.tamanoir.tests.differential;

import java.net.InetSocketAddress;
import org.tamanoir.kernel.KernelFlow;
import org.tamanoir.kernel.KernelFlow.FlowCounters;

/** A flow in the kernel, and what it should have counted. */
final class Flow {
    /** What the kernel finds it by. */
    record Key(InetSocketAddress sender, int typeId, Long stream) {
    }

    final int slot;
    final KernelFlow kernel;
    /** The address of the node that the sender has used last; null before. */
    InetSocketAddress used;
    private long packets;
    private long octets;
    private long backPackets;
    private long backOctets;

    Flow(int slot, KernelFlow kernel) {
        this.slot = slot;
        this.kernel = kernel;
    }

    void sent(Datagram datagram) {
        packets++;
        octets += datagram.anep.length;
        used = datagram.destination;
    }

    void answered(Datagram datagram) {
        backPackets++;
        backOctets += datagram.anep.length;
    }

    boolean isCounted(FlowCounters counters) {
        return counters.equals(new FlowCounters(packets, octets, backPackets, backOctets, counters.lastNanos()))
                && counters.lastNanos() > 0 == packets + backPackets > 0;
    }
}
