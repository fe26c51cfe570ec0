package org.tamanoir.wasm.engine;

import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
 * The memory of one instance: an array that is as long as the memory is large, so that the JVM's own check of the index is the module's. What
 * a module reads or writes outside of it is an {@link IndexOutOfBoundsException}; what it names to the node outside of it is EE-655.
 */
@SuppressWarnings("removal") // The library asks for them still.
public final class LinearMemory implements Memory {
    private static final VarHandle SHORT = view(short[].class);
    private static final VarHandle INT = view(int[].class);
    private static final VarHandle LONG = view(long[].class);
    private static final VarHandle FLOAT = view(float[].class);
    private static final VarHandle DOUBLE = view(double[].class);

    private final MemoryLimits limits;
    private final MemoryBudget budget;
    private final int mostPages;
    private byte[] octets;
    private DataSegment[] segments = {};
    private boolean released;

    /**
     * @param image what it begins with, zeros behind it; null for zeros
     * @throws AnepException EE-653 if the budget has no room for it
     */
    LinearMemory(MemoryLimits limits, int mostPages, MemoryBudget budget, byte[] image) {
        this.limits = limits;
        this.mostPages = Math.min(limits.maximumPages(), mostPages);
        this.budget = budget;
        int used = image == null ? 0 : image.length;
        long size = Math.max((long) limits.initialPages() * PAGE_SIZE, used);
        if (!budget.take(size)) {
            throw new AnepException(ErrorCode.MODULE_TRAPPED, "there is no memory for another instance: the instances of the service hold " + budget.held()
                    + " octets, and this one begins with " + size);
        }
        this.octets = image == null ? new byte[(int) size] : Arrays.copyOf(image, (int) size);
    }

    private static VarHandle view(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    /** Gives the budget back what the memory held. */
    void release() {
        if (!released) {
            released = true;
            budget.give(octets.length);
            octets = new byte[0];
        }
    }

    /** Octets that it has. */
    public int size() {
        return octets.length;
    }

    // What the node does with it.

    /** @throws AnepException EE-655 if an area is not all inside the memory */
    public void checkArea(int address, int length) {
        if (address < 0 || length < 0 || address > octets.length - length) {
            throw new AnepException(ErrorCode.MODULE_FORBIDDEN, "the module names " + Integer.toUnsignedString(length) + " octets at "
                    + Integer.toUnsignedString(address) + ", and its memory has " + octets.length);
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

    /** All octets. For reading, until the module is called again. */
    byte[] octets() {
        return octets;
    }

    // What the module does with it.

    @Override
    public int pages() {
        return octets.length / PAGE_SIZE;
    }

    @Override
    public int grow(int more) {
        int before = pages();
        long after = (long) before + Integer.toUnsignedLong(more);
        if (after > mostPages || !budget.take((long) more * PAGE_SIZE)) {
            return -1;
        }
        try {
            octets = Arrays.copyOf(octets, (int) after * PAGE_SIZE);
        } catch (OutOfMemoryError e) {
            budget.give((long) more * PAGE_SIZE);
            return -1;
        }
        return before;
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
    public void initPassiveSegment(int segment, int address, int offset, int size) {
        write(address, segments[segment].data(), offset, size);
    }

    @Override
    public void drop(int segment) {
        segments[segment] = PassiveDataSegment.EMPTY;
    }

    @Override
    public void write(int address, byte[] data, int offset, int size) {
        System.arraycopy(data, offset, octets, address, size);
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
        if (from < 0 || to < from) {
            throw new IndexOutOfBoundsException("out of bounds memory access");
        }
        Arrays.fill(octets, from, to, value);
    }

    @Override
    public void copy(int to, int from, int size) {
        System.arraycopy(octets, from, octets, to, size);
    }

    @Override
    public byte read(int address) {
        return octets[address];
    }

    @Override
    public void writeByte(int address, byte value) {
        octets[address] = value;
    }

    @Override
    public short readShort(int address) {
        return (short) SHORT.get(octets, address);
    }

    @Override
    public long readU16(int address) {
        return readShort(address) & 0xFFFF;
    }

    @Override
    public void writeShort(int address, short value) {
        SHORT.set(octets, address, value);
    }

    @Override
    public int readInt(int address) {
        return (int) INT.get(octets, address);
    }

    @Override
    public void writeI32(int address, int value) {
        INT.set(octets, address, value);
    }

    @Override
    public long readLong(int address) {
        return (long) LONG.get(octets, address);
    }

    @Override
    public void writeLong(int address, long value) {
        LONG.set(octets, address, value);
    }

    @Override
    public float readFloat(int address) {
        return (float) FLOAT.get(octets, address);
    }

    @Override
    public long readF32(int address) {
        return readInt(address);
    }

    @Override
    public void writeF32(int address, float value) {
        FLOAT.set(octets, address, value);
    }

    @Override
    public double readDouble(int address) {
        return (double) DOUBLE.get(octets, address);
    }

    @Override
    public long readF64(int address) {
        return readLong(address);
    }

    @Override
    public void writeF64(int address, double value) {
        DOUBLE.set(octets, address, value);
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
