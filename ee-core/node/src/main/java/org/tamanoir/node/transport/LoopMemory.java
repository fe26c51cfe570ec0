package org.tamanoir.node.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.tamanoir.anep.PacketRun;

/**
 * The memory account of one event loop: what its streams retain, counted by the capacity of the buffers and not by the octets in them.
 *
 * <p>There is nothing to book. Whatever outlasts the turn in which it was read lies in a buffer of {@link #allocator()}, and what that
 * allocator has given out is the account. Three rules keep it below the limit:
 * <ul>
 * <li>Connections read into receive buffers that the loop keeps and hands out again. What stays behind in one, the beginning of a packet or
 * octets for a slow peer, is left there as long as few do it, and moved into a buffer of its own size otherwise.
 * <li>A connection reads no more than its {@link #room}, so that what it reads can be kept if its receiver takes none of it. A direction
 * whose receiver has not taken everything reads nothing.
 * <li>Where there is no room, TCP is not read and datagrams are dropped.
 * </ul>
 *
 * <p>Room is shared out as a switch shares its buffer between queues, by what is left (A. K. Choudhury and E. L. Hahne, "Dynamic queue
 * length thresholds for shared-memory packet switches", 1998): the more directions keep something, the less each further one may, and the
 * sum stays below the limit.
 *
 * <p>Used by its own loop only, but for {@link #allocator()} and {@link #retained()}.
 */
public final class LoopMemory {
    /** Octets in a receive buffer. Large enough for few system calls, small enough to stay in the cache; docs/performance.md. */
    public static final int BUFFER = 1024 * 1024;
    /** Less than this is not worth a system call. */
    static final int LEAST = 4 * 1024;
    /** A read is not worth its system call with less room than this where there could be more, now or in the next turn. */
    static final int LEAST_ROOM = 64 * 1024;
    /** Octets in a receive buffer when there may be no more large ones: one packet of any size fits after the tail of another. */
    private static final int SMALL = 128 * 1024;
    /** Free receive buffers that are kept; more are released. */
    static final int SPARE = 4;
    /** Octets that a datagram may have, and those of a buffer for the 64 that one call may bring. */
    static final int DATAGRAM = 0xFFFF;
    static final int DATAGRAMS = 64 * 64 * 1024;
    /** Part of the memory that may be in receive buffers which hold less than they could. */
    private static final int LENT_PART = 4;
    private static final int LEAST_LENT = 2;
    /** What a direction may keep: 1/5 of all, divided by 25 and those that keep something already; and a part of what is left. */
    private static final int SHARE_PART = 5;
    private static final int SHARES = 25;
    private static final int FREE_PART = 16;
    /** With less than this part left the loop counts as short of memory. */
    private static final int SHORT_PART = 32;

    /** Somebody whose octets lie in a receive buffer. */
    interface InPlace {
        /** Moves them into a buffer of their own size. */
        void moveOut();
    }

    private final LongSupplier limit;
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final ArrayDeque<ByteBuf> free = new ArrayDeque<>();
    /** Given back while somebody still held a part of them. */
    private final ArrayDeque<ByteBuf> lent = new ArrayDeque<>();
    /** Whose octets lie in receive buffers, the first for the longest time. */
    private final Set<InPlace> inPlace = new LinkedHashSet<>();
    /** Runs that nobody reads at the moment: one, unless reading on one connection makes another go on. */
    private final ArrayDeque<PacketRun> runs = new ArrayDeque<>();
    private ByteBuf datagrams;
    private volatile int aside;
    private volatile int spare;
    private int large;
    private int keepers;

    /** @param limit octets that the streams of this loop may retain, asked anew each time */
    LoopMemory(LongSupplier limit) {
        this.limit = limit;
    }

    /** Where buffers come from that outlast a turn; any thread. */
    public ByteBufAllocator allocator() {
        return allocator;
    }

    /** Octets that are retained now, by the capacity of the buffers; any thread. */
    public long retained() {
        return Math.max(0, allocator.metric().usedDirectMemory() - (long) spare * BUFFER - aside);
    }

    /** Octets that may be retained; any thread. */
    public long limit() {
        return limit.getAsLong();
    }

    /** One receive buffer is set aside: somebody reads into it at this moment. */
    private long left() {
        return limit() - BUFFER - retained();
    }

    /** Octets that one more direction may keep: 0 if there is no room, {@link #BUFFER} at most. */
    public int room() {
        long share = Math.min(share(limit(), keepers), left() / FREE_PART);
        return share < LEAST ? 0 : (int) share;
    }

    /** What one more direction may keep of so much memory where others keep something. */
    static long share(long memory, int keepers) {
        return Math.min(BUFFER, memory / SHARE_PART / (SHARES + keepers));
    }

    /** Octets of receive buffers that may hold less than they could, of so much memory. */
    static long mostLent(long memory) {
        return Math.max(LEAST_LENT * BUFFER, memory / LENT_PART);
    }

    /** Octets left at which so much memory is short. */
    static long shortage(long memory) {
        return memory / SHORT_PART;
    }

    /** Whether so many octets fit; any thread. */
    public boolean has(long octets) {
        return octets <= left();
    }

    /** Whether so little is left that who keeps much and does not move has to go. */
    public boolean isShort() {
        return left() < shortage(limit());
    }

    /** A direction begins to keep something, or keeps nothing any more. */
    void keeps(boolean something) {
        keepers += something ? 1 : -1;
    }

    /** A copy in a buffer of its own size. */
    public ByteBuf copy(ByteBuf from, int offset, int length) {
        return allocator.directBuffer(length).writeBytes(from, offset, length);
    }

    /** Whether a buffer, or the one that it is a slice of, belongs to the account. */
    boolean counts(ByteBuf buffer) {
        return buffer.alloc() == allocator;
    }

    /** An empty receive buffer with one reference, which {@link #give} takes back; {@link #BUFFER} octets if there may be more of these. */
    ByteBuf take() {
        ByteBuf buffer = free.pollLast();
        if (buffer == null) {
            reclaim();
            buffer = free.pollLast();
        }
        if (buffer == null && !mayHaveMore()) {
            moveOut();
            buffer = free.pollLast();
        }
        spare = free.size();
        if (buffer != null) {
            return buffer;
        }
        boolean more = mayHaveMore();
        large += more ? 1 : 0;
        return allocator.directBuffer(more ? BUFFER : SMALL);
    }

    /** A view for what is read at one time, which {@link #giveRun} takes back. */
    PacketRun takeRun() {
        PacketRun run = runs.pollLast();
        return run == null ? new PacketRun() : run;
    }

    void giveRun(PacketRun run) {
        runs.addLast(run);
    }

    /**
     * Where the datagrams of one call come, each to a place of {@link #DATAGRAM} octets. One buffer serves all sockets of the loop in turn
     * and is not part of what is retained: of most places only the first page is ever touched. As soon as somebody holds a datagram beyond
     * its turn the buffer is theirs and counts, and the next datagrams come into another one.
     *
     * @param places for how many datagrams, 1 to 64; there is one place where memory is short
     * @return with that room behind both of its indices
     */
    ByteBuf datagrams(int places) {
        boolean fits = has(DATAGRAMS);
        if (datagrams == null || datagrams.refCnt() > 1 || fits && datagrams.capacity() < DATAGRAMS) {
            letGoOfDatagrams();
            datagrams = allocator.directBuffer(fits ? DATAGRAMS : SMALL);
            aside = datagrams.capacity();
        }
        int from = Math.max(0, datagrams.capacity() - places * DATAGRAM);
        return datagrams.setIndex(from, from);
    }

    private void letGoOfDatagrams() {
        if (datagrams != null) {
            datagrams.release();
            datagrams = null;
            aside = 0;
        }
    }

    private boolean mayHaveMore() {
        return (large + 1L) * BUFFER <= mostLent(limit());
    }

    /** Has those who have held receive buffers for the longest time hold what is theirs elsewhere. */
    private void moveOut() {
        for (Iterator<InPlace> oldest = inPlace.iterator(); oldest.hasNext() && free.isEmpty();) {
            InPlace one = oldest.next();
            oldest.remove();
            one.moveOut();
            reclaim();
        }
    }

    /** Somebody leaves octets in a receive buffer, or does not any more. */
    void leaves(InPlace one, boolean octets) {
        if (octets) {
            inPlace.add(one);
        } else {
            inPlace.remove(one);
        }
    }

    /** Takes a receive buffer back; others may still hold slices of it. */
    void give(ByteBuf buffer) {
        if (buffer.refCnt() == 1) {
            keep(buffer);
        } else if (buffer.capacity() == BUFFER) {
            lent.addLast(buffer);
        } else {
            buffer.release();
        }
        spare = free.size();
    }

    /** Moves what has come back to the free buffers. */
    private void reclaim() {
        for (int i = lent.size(); i > 0; i--) {
            ByteBuf buffer = lent.pollFirst();
            if (buffer.refCnt() == 1) {
                keep(buffer);
            } else {
                lent.addLast(buffer);
            }
        }
    }

    private void keep(ByteBuf buffer) {
        if (buffer.capacity() != BUFFER) {
            buffer.release();
        } else if (free.size() < SPARE) {
            free.addLast(buffer.clear());
        } else {
            large--;
            buffer.release();
        }
    }

    /** Looks for receive buffers that have come back; call it now and then. */
    public void tidy() {
        reclaim();
        spare = free.size();
    }

    /** The loop ends. */
    void close() {
        free.forEach(ByteBuf::release);
        lent.forEach(ByteBuf::release);
        letGoOfDatagrams();
        free.clear();
        lent.clear();
        spare = 0;
    }
}
