package org.tamanoir.wasm.stream;

import java.util.Arrays;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.engine.LinearMemory;
import org.tamanoir.wasm.module.WasmLimits;

/**
 * What a module has emitted in one call, until it has returned; and how much it may emit over the life of its stream. Octets are copied into a
 * plain array: a module may call with so little of the stack left that a buffer could not be made of it.
 */
final class Emissions {
    /** Octets in one call; far more than a run can make at the preset ratio. */
    private static final int MOST_IN_CALL = 4 << 20;
    /** Beyond this the module is told that there is no room. */
    private static final int HIGH = 256 << 10;
    private static final int KEPT = 128 << 10;

    private final WasmLimits limits;
    private byte[] octets = new byte[0];
    private int used;
    /** Three numbers for each: the packet that it comes behind, where it begins, its length. */
    private int[] entries = new int[48];
    private int count;
    private long came;
    private long emitted;

    Emissions(WasmLimits limits) {
        this.limits = limits;
    }

    /** So many octets have come to the stream. */
    void came(long more) {
        came += more;
    }

    /** Octets that it has emitted over its life. */
    long emitted() {
        return emitted;
    }

    /**
     * The module emits a payload.
     *
     * @param index of the packet that it comes behind
     * @throws AnepException EE-655 if that is more than it may
     */
    void add(int index, LinearMemory memory, int address, int length) {
        memory.checkArea(address, length);
        if (length > Anep.MAX_PAYLOAD) {
            throw new AnepException(ErrorCode.MODULE_FORBIDDEN, "the module emits a payload of " + length + " octets; it may have " + Anep.MAX_PAYLOAD);
        }
        // A header goes with each, so that empty ones are not free.
        long after = emitted + length + Anep.HEADER_SIZE;
        if (after > came * limits.outputRatio() + limits.outputGrace() || used + length > MOST_IN_CALL) {
            throw new AnepException(ErrorCode.MODULE_FORBIDDEN, "the module emits more than " + limits.outputRatio() + " octets for each of the " + came
                    + " that came to the stream, and " + limits.outputGrace() + " beyond, or more than " + MOST_IN_CALL + " in one call");
        }
        if (used + length > octets.length) {
            octets = Arrays.copyOf(octets, Math.min(MOST_IN_CALL, Math.max(used + length, 2 * octets.length)));
        }
        if (3 * count == entries.length) {
            entries = Arrays.copyOf(entries, 2 * entries.length);
        }
        memory.copyTo(address, octets, used, length);
        entries[3 * count] = index;
        entries[3 * count + 1] = used;
        entries[3 * count + 2] = length;
        used += length;
        count++;
        emitted = after;
    }

    boolean isCrowded() {
        return used > HIGH;
    }

    int count() {
        return count;
    }

    int index(int entry) {
        return entries[3 * entry];
    }

    int from(int entry) {
        return entries[3 * entry + 1];
    }

    int length(int entry) {
        return entries[3 * entry + 2];
    }

    byte[] octets() {
        return octets;
    }

    void clear() {
        count = 0;
        used = 0;
        if (octets.length > KEPT) {
            octets = new byte[0];
        }
    }
}
