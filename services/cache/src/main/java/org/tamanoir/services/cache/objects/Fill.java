package org.tamanoir.services.cache.objects;

import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.Map;

/**
 * One transfer of an origin on its way into an object: octets from {@code start} on, in their order. Whoever reads the object reads what the fill has, up to its last
 * octet. It outlives the stream that brings it: while it has no owner, another one may go on. Guarded by the lock of {@link CachedObjects}.
 */
public final class Fill {
    private static final int BLOCK = CachedObject.BLOCK;

    /** Octets of a block: all from {@code from} to {@code until} within it. */
    private record Part(byte[] octets, int from, int until) {
    }

    final CachedObject object;
    private final long start;
    /** One behind the last octet that it is to bring; the largest number if that is not known. */
    long until;
    private long frontier;
    private byte[] current;
    private int currentFrom;
    /** Blocks that are not on the disk: not yet, or never. */
    private final Map<Integer, Part> held = new HashMap<>();
    /** Octets of those that are on their way to the disk. */
    long saving;
    /** The disk has refused one: what comes is held until the owner has read it. */
    boolean diskless;
    Waiter owner;
    /** The origin itself ended too soon: what came is nothing worth unless it confirms it. */
    boolean doubtful;

    Fill(CachedObject object, long start, long until, Waiter owner) {
        this.object = object;
        this.start = start;
        this.until = until;
        this.frontier = start;
        this.owner = owner;
    }

    public CachedObject object() {
        return object;
    }

    /** The octet that comes next. */
    public long frontier() {
        return frontier;
    }

    long start() {
        return start;
    }

    /** Whether all has come that it is to bring. */
    public boolean isThrough() {
        return frontier == until;
    }

    /** Takes octets up to the end of a block; returns how many. */
    int take(ByteBuf from, int index, int length) {
        if (current == null) {
            currentFrom = (int) (frontier % BLOCK);
            long size = until == Long.MAX_VALUE ? BLOCK : Math.min(BLOCK, until - (frontier - currentFrom));
            current = new byte[(int) size];
        }
        int at = (int) (frontier % BLOCK);
        int taken = Math.min(length, current.length - at);
        from.getBytes(index, current, at, taken);
        frontier += taken;
        return taken;
    }

    /** Whether the block in hand is full. */
    boolean isBlockFull() {
        return current != null && (frontier % BLOCK == 0 || isThrough());
    }

    /** The index of the block in hand. */
    int index() {
        return (int) ((frontier - 1) / BLOCK);
    }

    /**
     * Takes out the block in hand, which is held on.
     *
     * @return its octets if it is a whole block of the object; null if it is a part
     */
    byte[] finishBlock() {
        int index = index();
        int end = (int) (frontier - (long) index * BLOCK);
        byte[] octets = end == current.length ? current : java.util.Arrays.copyOf(current, end);
        held.put(index, new Part(octets, currentFrom, end));
        boolean isWhole = currentFrom == 0 && (object.length == CachedObject.UNKNOWN ? end == BLOCK || isThrough() : end == object.size(index));
        current = null;
        return isWhole ? octets : null;
    }

    /** The last octet has come where no length was known. */
    void ends() {
        until = frontier;
    }

    void release(int index) {
        held.remove(index);
    }

    /** Octets of parts and blocks that are held for readers. */
    long octetsHeld() {
        return held.values().stream().mapToLong(part -> part.octets.length).sum();
    }

    /** The owner has read so far: what is in front of it is held for nobody. */
    void passed(long offset) {
        if (diskless) {
            held.keySet().removeIf(index -> (long) (index + 1) * BLOCK <= offset);
        }
    }

    /** What it has at a place; null if nothing. */
    Piece at(long offset, long most) {
        int index = (int) (offset / BLOCK);
        int at = (int) (offset % BLOCK);
        if (current != null && frontier > offset && index == index()) {
            int end = (int) (frontier - (long) index * BLOCK);
            return at < currentFrom ? null : Piece.data(current, at, (int) Math.min(most, end - at));
        }
        Part part = held.get(index);
        return part == null || at < part.from || at >= part.until ? null : Piece.data(part.octets, at, (int) Math.min(most, part.until - at));
    }

    /** Whether it will come to a place. */
    boolean isBefore(long offset) {
        return frontier <= offset && offset < until;
    }
}
