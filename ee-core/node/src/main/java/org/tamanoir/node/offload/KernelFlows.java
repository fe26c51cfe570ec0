package org.tamanoir.node.offload;

import java.util.BitSet;
import org.tamanoir.anep.AnepException;
import org.tamanoir.kernel.Kernel;
import org.tamanoir.kernel.KernelFlow;
import org.tamanoir.kernel.KernelFlow.FlowCounters;

/** The streams that the kernel carries, each with a slot of its own. */
final class KernelFlows {
    private final Kernel kernel;
    private final int most;
    private final BitSet slots = new BitSet();

    KernelFlows(Kernel kernel, int most) {
        this.kernel = kernel;
        this.most = most;
    }

    /** How many there are. */
    synchronized int count() {
        return slots.cardinality();
    }

    /** Null if all slots are taken, or the kernel refuses. */
    synchronized Flow open(KernelFlow flow) {
        int slot = slots.nextClearBit(0);
        if (slot >= most) {
            return null;
        }
        try {
            kernel.putFlow(slot, flow);
        } catch (AnepException e) {
            return null;
        }
        slots.set(slot);
        return new Carried(slot);
    }

    private synchronized void remove(int slot) {
        try {
            kernel.removeFlow(slot);
        } catch (AnepException e) {
            // The kernel path is closed, and the flow with it.
        }
        slots.clear(slot);
    }

    private final class Carried implements Flow {
        private final int slot;
        private boolean open = true;
        private Counters last = Counters.NONE;

        Carried(int slot) {
            this.slot = slot;
        }

        @Override
        public synchronized boolean isOpen() {
            return open && !kernel.isClosed();
        }

        @Override
        public synchronized int up(boolean back) {
            try {
                return open ? kernel.up(slot, back) : 0;
            } catch (AnepException e) {
                return 0;
            }
        }

        @Override
        public synchronized void handled(boolean back, int up) {
            try {
                if (open) {
                    kernel.handled(slot, back, up);
                }
            } catch (AnepException e) {
                // The kernel path is closed: everything goes up.
            }
        }

        @Override
        public synchronized void open() {
            try {
                if (open) {
                    kernel.open(slot);
                }
            } catch (AnepException e) {
                // The kernel path is closed: everything goes up.
            }
        }

        @Override
        public synchronized Counters counters() {
            if (open) {
                try {
                    FlowCounters now = kernel.flow(slot);
                    last = new Counters(now.packets(), now.octets(), now.backPackets(), now.backOctets(), now.lastNanos());
                } catch (AnepException e) {
                    open = false;
                }
            }
            return last;
        }

        @Override
        public synchronized void close() {
            if (open) {
                counters();
                open = false;
                remove(slot);
            }
        }
    }
}
