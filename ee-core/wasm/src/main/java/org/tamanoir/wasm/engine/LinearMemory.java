package org.tamanoir.wasm.engine;

import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import run.endive.runtime.ConstantEvaluators;
import run.endive.runtime.Instance;
import run.endive.runtime.Memory;
import run.endive.wasm.types.ActiveDataSegment;
import run.endive.wasm.types.DataSegment;
import run.endive.wasm.types.MemoryLimits;
import run.endive.wasm.types.PassiveDataSegment;

/**
 * The memory of one instance: the beginning of an array, which others have had and will have. What a module reads or writes beyond its size is an
 * {@link IndexOutOfBoundsException}; what it names to the node there is EE-655.
 */
@SuppressWarnings("removal") // The library asks for them still.
public final class LinearMemory implements Memory {
    private static final byte[] NOTHING = {};
    private static final int STACK = 200;
    private static final VarHandle SHORT = view(short[].class);
    private static final VarHandle INT = view(int[].class);
    private static final VarHandle LONG = view(long[].class);
    private static final VarHandle FLOAT = view(float[].class);
    private static final VarHandle DOUBLE = view(double[].class);

    private final MemoryLimits limits;
    private final MemoryBudget budget;
    private final int mostPages;
    /** Zeros from {@link #size} on. */
    private byte[] octets;
    private int size;
    private boolean hasGrown;
    private DataSegment[] segments = {};

    /**
     * @param image what it begins with, zeros behind it; null for zeros
     * @throws AnepException EE-653 if the budget has no room for it
     */
    LinearMemory(MemoryLimits limits, int mostPages, MemoryBudget budget, byte[] image) {
        this.limits = limits;
        this.mostPages = Math.min(limits.maximumPages(), mostPages);
        this.budget = budget;
        byte[] beginning = image == null ? NOTHING : image;
        long wanted = Math.max((long) limits.initialPages() * PAGE_SIZE, beginning.length);
        if (!budget.take(wanted)) {
            throw new AnepException(ErrorCode.MODULE_TRAPPED, "there is no memory for another instance: the instances of the service hold " + budget.held()
                    + " octets, and this one begins with " + wanted);
        }
        this.size = (int) wanted;
        this.octets = budget.pool().take(size, beginning);
    }

    private static VarHandle view(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Gives the budget back what the memory held.
     *
     * @param isQuiet whether nobody can be writing to it, so that others may have the array
     */
    void release(boolean isQuiet) {
        byte[] had = octets;
        budget.give(had.length);
        octets = NOTHING;
        if (isQuiet) {
            budget.pool().give(had, size);
        }
        size = 0;
    }

    /** Octets that it has. */
    public int size() {
        return size;
    }

    // What the node does with it.

    /** @throws AnepException EE-655 if an area is not all inside the memory */
    public void checkArea(int address, int length) {
        if (address < 0 || length < 0 || address > size - length) {
            throw new AnepException(ErrorCode.MODULE_FORBIDDEN, "the module names " + Integer.toUnsignedString(length) + " octets at "
                    + Integer.toUnsignedString(address) + ", and its memory has " + size);
        }
    }

    /** Copies an area out. */
    public void copyTo(int address, byte[] into, int at, int length) {
        checkArea(address, length);
        System.arraycopy(octets, address, into, at, length);
    }

    /** Appends an area to a buffer. */
    public void copyTo(int address, ByteBuf into, int length) {
        checkArea(address, length);
        into.writeBytes(octets, address, length);
    }

    /** Copies octets of a buffer in; its indices stay. */
    public void copyFrom(ByteBuf from, int index, int address, int length) {
        checkArea(address, length);
        from.getBytes(index, octets, address, length);
    }

    /** Copies octets in. */
    public void copyFrom(byte[] from, int at, int address, int length) {
        checkArea(address, length);
        System.arraycopy(from, at, octets, address, length);
    }

    /** A copy of an area. */
    public byte[] area(int address, int length) {
        checkArea(address, length);
        return Arrays.copyOfRange(octets, address, address + length);
    }

    /** A text in UTF-8. */
    public String text(int address, int length) {
        checkArea(address, length);
        return new String(octets, address, length, StandardCharsets.UTF_8);
    }

    /** Writes a number of 32 bits, such as a result, where the module wants it. */
    public void putInt(int address, int value) {
        checkArea(address, Integer.BYTES);
        INT.set(octets, address, value);
    }

    /** Writes four numbers of 32 bits. */
    public void putRecord(int address, int first, int second, int third, int fourth) {
        checkArea(address, 4 * Integer.BYTES);
        INT.set(octets, address, first);
        INT.set(octets, address + 4, second);
        INT.set(octets, address + 8, third);
        INT.set(octets, address + 12, fourth);
    }

    /** Writes a number of 64 bits. */
    public void putLong(int address, long value) {
        checkArea(address, Long.BYTES);
        LONG.set(octets, address, value);
    }

    /** Reads a number of 32 bits. */
    public int getInt(int address) {
        checkArea(address, Integer.BYTES);
        return (int) INT.get(octets, address);
    }

    /** An area itself, in its array, until the module goes on. */
    public ByteBuffer view(int address, int length) {
        checkArea(address, length);
        return ByteBuffer.wrap(octets, address, length);
    }

    // What the module does with it.

    @Override
    public int pages() {
        return size / PAGE_SIZE;
    }

    @Override
    public int grow(int more) {
        int before = pages();
        long after = (long) before + Integer.toUnsignedLong(more);
        if (after > mostPages || after * PAGE_SIZE > octets.length && !enlarge((int) after)) {
            return -1;
        }
        size = (int) after * PAGE_SIZE;
        return before;
    }

    /** With room to grow further if there is, little at first and as much again later; or else without. */
    private boolean enlarge(int pages) {
        // What is counted here is counted to the end, or not at all.
        needStack(STACK);
        int roomy = hasGrown ? Math.max(pages, 2 * octets.length / PAGE_SIZE) : pages;
        hasGrown = true;
        for (int wanted : new int[] {Math.min(mostPages, MemoryPool.pages(roomy)), pages}) {
            int more = wanted * PAGE_SIZE - octets.length;
            if (budget.take(more)) {
                try {
                    byte[] before = octets;
                    octets = budget.pool().take(wanted * PAGE_SIZE, before);
                    // No sooner, whatever is thrown: others may have it from here on.
                    budget.pool().give(before, size);
                    return true;
                } catch (OutOfMemoryError e) {
                    budget.give(more);
                }
            }
        }
        return false;
    }

    /** Throws a StackOverflowError if there is not room for this many calls inside each other. */
    private static int needStack(int calls) {
        return calls == 0 ? 0 : needStack(calls - 1) + 1;
    }

    @Override
    public int initialPages() {
        return limits.initialPages();
    }

    @Override
    public int maximumPages() {
        return mostPages;
    }

    @Override
    public boolean shared() {
        return false;
    }

    @Override
    public void initialize(Instance instance, DataSegment[] data) {
        initialize(instance, data, 0);
    }

    @Override
    public void initialize(Instance instance, DataSegment[] data, int memoryIndex) {
        segments = data == null ? new DataSegment[0] : data;
        for (DataSegment segment : segments) {
            if (segment instanceof ActiveDataSegment active) {
                int address = (int) ConstantEvaluators.computeConstantValue(instance, active.offsetInstructions())[0];
                write(address, active.data(), 0, active.data().length);
            }
        }
    }

    @Override
    public void initPassiveSegment(int segment, int address, int offset, int count) {
        write(address, segments[segment].data(), offset, count);
    }

    @Override
    public void drop(int segment) {
        segments[segment] = PassiveDataSegment.EMPTY;
    }

    @Override
    public void write(int address, byte[] data, int offset, int count) {
        System.arraycopy(data, offset, octets, Objects.checkFromIndexSize(address, count, size), count);
    }

    @Override
    public byte[] readBytes(int address, int length) {
        return area(address, length);
    }

    @Override
    public void zero() {
        // It is when it is made; whoever could call this later is nobody.
    }

    @Override
    public void fill(byte value, int from, int to) {
        Arrays.fill(octets, Objects.checkFromToIndex(from, to, size), to, value);
    }

    @Override
    public void copy(int to, int from, int count) {
        System.arraycopy(octets, Objects.checkFromIndexSize(from, count, size), octets, Objects.checkFromIndexSize(to, count, size), count);
    }

    @Override
    public byte read(int address) {
        return octets[Objects.checkIndex(address, size)];
    }

    @Override
    public void writeByte(int address, byte value) {
        octets[Objects.checkIndex(address, size)] = value;
    }

    @Override
    public short readShort(int address) {
        return (short) SHORT.get(octets, Objects.checkIndex(address, size - 1));
    }

    @Override
    public long readU16(int address) {
        return readShort(address) & 0xFFFF;
    }

    @Override
    public void writeShort(int address, short value) {
        SHORT.set(octets, Objects.checkIndex(address, size - 1), value);
    }

    @Override
    public int readInt(int address) {
        return (int) INT.get(octets, Objects.checkIndex(address, size - 3));
    }

    @Override
    public void writeI32(int address, int value) {
        INT.set(octets, Objects.checkIndex(address, size - 3), value);
    }

    @Override
    public long readLong(int address) {
        return (long) LONG.get(octets, Objects.checkIndex(address, size - 7));
    }

    @Override
    public void writeLong(int address, long value) {
        LONG.set(octets, Objects.checkIndex(address, size - 7), value);
    }

    @Override
    public float readFloat(int address) {
        return (float) FLOAT.get(octets, Objects.checkIndex(address, size - 3));
    }

    @Override
    public long readF32(int address) {
        return readInt(address);
    }

    @Override
    public void writeF32(int address, float value) {
        FLOAT.set(octets, Objects.checkIndex(address, size - 3), value);
    }

    @Override
    public double readDouble(int address) {
        return (double) DOUBLE.get(octets, Objects.checkIndex(address, size - 7));
    }

    @Override
    public long readF64(int address) {
        return readLong(address);
    }

    @Override
    public void writeF64(int address, double value) {
        DOUBLE.set(octets, Objects.checkIndex(address, size - 7), value);
    }

    // Of memories that threads share: no module has one.

    @Override
    @Deprecated(forRemoval = true)
    public Object lock(int address) {
        throw new UnsupportedOperationException();
    }

    @Override
    @Deprecated(forRemoval = true)
    public int waitOn(int address, int expected, long timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    @Deprecated(forRemoval = true)
    public int waitOn(int address, long expected, long timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    @Deprecated(forRemoval = true)
    public int notify(int address, int maxThreads) {
        return 0;
    }
}
