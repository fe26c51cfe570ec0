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
 * memory. The connection from the source is read less often than the other one; with each look goes what was read of it last.
 */
final class Window {
    private static final long NANOS = 3_000_000_000L;
    private static final int FIRST = 4;
    /** Three seconds at 0.1 s, and one at either end. */
    static final int MOST = 32;
    /** The same at 0.5 s, a little sooner now and then, and one that is older. */
    private static final int MOST_BEFORE = 9;
    private static final int LONGS = 7;
    /** Of a look: the number of what was read of the connection from the source. */
    private static final int BEFORE = 6;

    private final Budget budget;
    private final int length;
    private byte[] befores = new byte[0];
    private byte[] afters = new byte[0];
    private long[] looks = new long[0];
    private boolean[] hasAfter = new boolean[0];
    private int next;
    private int count;
    /** How often the connection from the source was read. */
    private long readBefore;

    /** @param length octets of {@code struct tcp_info} here */
    Window(int length, Budget budget) {
        this.length = length;
        this.budget = budget;
    }

    /**
     * Adds a look.
     *
     * @param before what the kernel said of the connection from the source; from 0. Null if it was not read: not the first time
     * @param after  the same for the other connection; null for none
     */
    void add(long nanos, ByteBuffer before, ByteBuffer after, StreamTimes node, long pending, long octets) {
        int slots = hasAfter.length;
        if (count == slots && (slots == 0 || nanos - looks[LONGS * next] < NANOS)) {
            grow();
            slots = hasAfter.length;
        }
        if (slots == 0 || before == null && readBefore == 0) {
            return;
        }
        if (before != null) {
            before.get(0, befores, placeBefore(readBefore++, slots), length);
        }
        int at = next;
        hasAfter[at] = after != null;
        if (after != null) {
            after.get(0, afters, length * at, length);
        }
        long[] all = looks;
        int first = LONGS * at;
        all[first] = nanos;
        all[first + 1] = node.serviceNanos(nanos);
        all[first + 2] = node.pausedNanos(nanos);
        all[first + 3] = node.classNanos(nanos);
        all[first + 4] = node.queued() + pending;
        all[first + 5] = octets;
        all[first + BEFORE] = readBefore - 1;
        next = (at + 1) % slots;
        count = Math.min(slots, count + 1);
    }

    private static int slotsBefore(int slots) {
        return Math.min(slots, MOST_BEFORE);
    }

    /** @param number counted from 0 */
    private int placeBefore(long number, int slots) {
        return length * (int) (number % slotsBefore(slots));
    }

    private void grow() {
        int slots = hasAfter.length;
        int more = slots == 0 ? FIRST : Math.min(MOST, 2 * slots);
        if (more == slots || !budget.take(octets(more) - octets(slots))) {
            return;
        }
        byte[] newBefores = new byte[length * slotsBefore(more)];
        for (long number = Math.max(0, readBefore - slotsBefore(slots)); number < readBefore; number++) {
            System.arraycopy(befores, placeBefore(number, slots), newBefores, placeBefore(number, more), length);
        }
        // Unrolled, so that what is new stands behind what is there.
        byte[] newAfters = new byte[length * more];
        long[] newLooks = new long[LONGS * more];
        boolean[] newHasAfter = new boolean[more];
        for (int i = 0; i < count; i++) {
            int slot = slot(i);
            System.arraycopy(afters, length * slot, newAfters, length * i, length);
            System.arraycopy(looks, LONGS * slot, newLooks, LONGS * i, LONGS);
            newHasAfter[i] = hasAfter[slot];
        }
        befores = newBefores;
        afters = newAfters;
        looks = newLooks;
        hasAfter = newHasAfter;
        next = count;
    }

    private long octets(int slots) {
        return (long) length * (slotsBefore(slots) + slots) + (long) slots * (LONGS * Long.BYTES + 1);
    }

    long octets() {
        return octets(hasAfter.length);
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
            int slot = slot(i);
            // Looks that are older than the last seconds may have lost what goes with them.
            if (readBefore - looks[LONGS * slot + BEFORE] <= slotsBefore(hasAfter.length)) {
                all.add(raw(slot));
            }
        }
        return all;
    }

    /** When the last look was; the least number if there was none. */
    long lastNanos() {
        return count == 0 ? Long.MIN_VALUE : looks[LONGS * slot(count - 1)];
    }

    /** The last look; null if there is none. */
    RawObservation last() {
        return count == 0 ? null : raw(slot(count - 1));
    }

    private RawObservation raw(int slot) {
        int before = placeBefore(looks[LONGS * slot + BEFORE], hasAfter.length);
        int first = LONGS * slot;
        return new RawObservation(looks[first], Arrays.copyOfRange(befores, before, before + length),
                hasAfter[slot] ? Arrays.copyOfRange(afters, length * slot, length * (slot + 1)) : null,
                new NodeTimes(looks[first + 1], looks[first + 2], looks[first + 3], looks[first + 4], looks[first + 5]));
    }

    /**
     * A stream at one moment, undecoded.
     *
     * @param before up to half a second older
     * @param after  null if there was no connection behind the node
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
