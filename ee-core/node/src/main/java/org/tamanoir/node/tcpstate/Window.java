package org.tamanoir.node.tcpstate;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tamanoir.node.tcpstate.History.Budget;
import org.tamanoir.paths.verdict.NodeTimes;
import org.tamanoir.paths.verdict.Observation;
import org.tamanoir.paths.verdict.TcpState;

/**
 * The last seconds of a stream as the kernel gave them, undecoded: whoever asks pays for the decoding. It grows until it holds three seconds, and while there is
 * memory.
 */
final class Window {
    private static final long NANOS = 3_000_000_000L;
    private static final int FIRST = 4;
    /** Three seconds at 0.1 s, and one at either end. */
    static final int MOST = 32;
    private static final int CONNECTIONS = 2;
    private static final int LONGS = 6;

    private final Budget budget;
    private final int length;
    private byte[] states = new byte[0];
    private long[] times = new long[0];
    private boolean[] hasAfter = new boolean[0];
    private int next;
    private int count;

    /** @param length octets of {@code struct tcp_info} here */
    Window(int length, Budget budget) {
        this.length = length;
        this.budget = budget;
    }

    /**
     * Adds a look.
     *
     * @param before what the kernel said; from 0
     * @param after  the same for the other connection; null for none
     */
    void add(long nanos, ByteBuffer before, ByteBuffer after, StreamTimes node, long pending, long octets) {
        int slots = hasAfter.length;
        if (count == slots && (slots == 0 || nanos - times[LONGS * next] < NANOS)) {
            grow();
            slots = hasAfter.length;
        }
        if (slots == 0) {
            return;
        }
        int at = next;
        before.get(0, states, CONNECTIONS * length * at, length);
        hasAfter[at] = after != null;
        if (after != null) {
            after.get(0, states, CONNECTIONS * length * at + length, length);
        }
        long[] all = times;
        int first = LONGS * at;
        all[first] = nanos;
        all[first + 1] = node.serviceNanos(nanos);
        all[first + 2] = node.pausedNanos(nanos);
        all[first + 3] = node.classNanos(nanos);
        all[first + 4] = node.queued() + pending;
        all[first + 5] = octets;
        next = (at + 1) % slots;
        count = Math.min(slots, count + 1);
    }

    private void grow() {
        int slots = hasAfter.length;
        int more = slots == 0 ? FIRST : Math.min(MOST, 2 * slots) - slots;
        if (more == 0 || !budget.take((long) more * slotOctets())) {
            return;
        }
        // Unrolled, so that what is new stands behind what is there.
        states = unrolled(states, CONNECTIONS * length, slots + more);
        long[] all = new long[LONGS * (slots + more)];
        boolean[] both = new boolean[slots + more];
        for (int i = 0; i < count; i++) {
            System.arraycopy(times, LONGS * slot(i), all, LONGS * i, LONGS);
            both[i] = hasAfter[slot(i)];
        }
        times = all;
        hasAfter = both;
        next = count;
    }

    private byte[] unrolled(byte[] ring, int size, int slots) {
        byte[] all = new byte[size * slots];
        for (int i = 0; i < count; i++) {
            System.arraycopy(ring, size * slot(i), all, size * i, size);
        }
        return all;
    }

    private int slotOctets() {
        return CONNECTIONS * length + LONGS * Long.BYTES + 1;
    }

    long octets() {
        return (long) hasAfter.length * slotOctets();
    }

    /** @param i from 0, the oldest */
    private int slot(int i) {
        int slots = hasAfter.length;
        return (next - count + i + slots) % slots;
    }

    /** A copy that anybody may read, the oldest first; to be decoded elsewhere. */
    List<RawObservation> copy() {
        List<RawObservation> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(raw(slot(i)));
        }
        return all;
    }

    /** The last one; null if there is none. */
    RawObservation last() {
        return count == 0 ? null : raw(slot(count - 1));
    }

    private RawObservation raw(int slot) {
        int at = CONNECTIONS * length * slot;
        int first = LONGS * slot;
        return new RawObservation(times[first], Arrays.copyOfRange(states, at, at + length),
                hasAfter[slot] ? Arrays.copyOfRange(states, at + length, at + CONNECTIONS * length) : null,
                new NodeTimes(times[first + 1], times[first + 2], times[first + 3], times[first + 4], times[first + 5]));
    }

    /**
     * A stream at one moment, undecoded.
     *
     * @param after null if there was no connection behind the node
     */
    record RawObservation(long nanos, byte[] before, byte[] after, NodeTimes node) {
        Observation decoded() {
            return new Observation(nanos, state(before), after == null ? null : state(after), null, node);
        }

        private static TcpState state(byte[] octets) {
            return TcpState.decode(octets, ByteOrder.nativeOrder());
        }
    }
}
