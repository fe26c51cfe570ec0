package org.tamanoir.client.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayDeque;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.Crc32c;

/**
 * What one direction has written and the far end has not acknowledged, by offsets since the beginning of the session, how far it has been sent, and the
 * checksums on the way. A large write stays in the buffer that it came in; small ones are gathered. Memory is counted by the capacity of buffers and comes
 * from one budget, which always gives the first buffer of a ring, so that no session waits for others to begin. A ring with nothing in it holds none.
 */
final class OctetRing {
    /** Octets of a packet at most. */
    static final int PACKET = Anep.MAX_PAYLOAD;
    /** Octets of a buffer for small writes. */
    private static final int GATHERED = 4096;
    /** A checksum is kept after so many octets at least. */
    private static final int SUM_EVERY = 1024;

    /** Octets in a row, in a buffer from its index 0 on. */
    private static final class Segment {
        private final ByteBuf octets;
        private final long from;
        private final int capacity;
        /** Whether more may be written behind what is in it. */
        private final boolean open;

        Segment(ByteBuf octets, long from, int capacity, boolean open) {
            this.octets = octets;
            this.from = from;
            this.capacity = capacity;
            this.open = open;
        }

        long end() {
            return from + octets.writerIndex();
        }
    }

    private record SumAt(long offset, int checksum) {
    }

    private final long most;
    private final RingBudget budget;
    /** What was sent whole, and what was not, the oldest first. */
    private final ArrayDeque<Segment> sentSegments = new ArrayDeque<>();
    private final ArrayDeque<Segment> waiting = new ArrayDeque<>();
    /** Checksums of all octets before an offset, the oldest first; the first is that of what was acknowledged last. */
    private final ArrayDeque<SumAt> sums = new ArrayDeque<>();
    private long written;
    private long sent;
    /** Octets of memory, all of them of the budget. */
    private long held;
    private final Crc32c checksum = new Crc32c();

    /** @param most octets that may wait for an acknowledgement; at least one packet */
    OctetRing(long most, RingBudget budget) {
        this.most = Math.max(most, PACKET);
        this.budget = budget;
        sums.add(new SumAt(0, 0));
    }

    /** Where the next octet is written. */
    long written() {
        return written;
    }

    /** Everything before it has been sent on this leg or an earlier one. */
    long sent() {
        return sent;
    }

    /** Everything before it is with the far end. */
    long acknowledged() {
        return sums.getFirst().offset();
    }

    /** Takes as much as there is room for from the reader index on. @return octets taken; 0: wait for an acknowledgement */
    int write(ByteBuf octets) {
        long before = written;
        while (octets.isReadable() && written - acknowledged() < most) {
            int count = (int) Math.min(octets.readableBytes(), most - (written - acknowledged()));
            Segment last = waiting.peekLast();
            if (last != null && last.open && last.octets.isWritable()) {
                count = Math.min(count, last.octets.writableBytes());
                last.octets.writeBytes(octets, count);
            } else if (count >= GATHERED && count >= octets.capacity() / 2) {
                if (!charge(octets.capacity())) {
                    break;
                }
                waiting.add(new Segment(octets.readRetainedSlice(count), written, octets.capacity(), false));
            } else {
                if (!charge(GATHERED)) {
                    break;
                }
                waiting.add(new Segment(PooledByteBufAllocator.DEFAULT.directBuffer(GATHERED, GATHERED), written, GATHERED, true));
                continue;
            }
            written += count;
        }
        return (int) (written - before);
    }

    /** Whether the budget gives a buffer; the only one it always gives. */
    private boolean charge(int octets) {
        if (waiting.isEmpty() && sentSegments.isEmpty()) {
            budget.takeAnyway(octets);
        } else if (!budget.take(octets, held)) {
            return false;
        }
        held += octets;
        return true;
    }

    /** The next octets to send, in a buffer that the caller releases; empty if everything was sent. */
    ByteBuf send(int atMost) {
        Segment first = waiting.peekFirst();
        if (first == null || sent == written) {
            return PooledByteBufAllocator.DEFAULT.buffer(0);
        }
        int at = (int) (sent - first.from);
        int count = Math.min(Math.min(atMost, PACKET), first.octets.writerIndex() - at);
        ByteBuf part = first.octets.retainedSlice(at, count);
        checksum.update(part.nioBuffer());
        sent += count;
        if (sent - sums.getLast().offset() >= SUM_EVERY) {
            sums.add(new SumAt(sent, checksum.value()));
        }
        if (sent == first.end()) {
            sentSegments.add(waiting.poll());
        }
        return part;
    }

    /** A mark stands here. @return the CRC-32C of all octets before it */
    int mark() {
        if (sums.getLast().offset() < sent) {
            sums.add(new SumAt(sent, checksum.value()));
        }
        return sums.getLast().checksum();
    }

    /** Whether a far end can have everything before an offset, and what follows is still here. */
    boolean has(long offset) {
        return offset >= acknowledged() && offset <= sent;
    }

    /** Goes back to what another leg has to send first. @param to that it {@link #has} */
    void rewind(long to) {
        checksum.restart(checksumAt(to));
        sent = to;
        while (sums.size() > 1 && sums.getLast().offset() > to) {
            sums.removeLast();
        }
        while (!sentSegments.isEmpty() && sentSegments.getLast().end() > to) {
            waiting.addFirst(sentSegments.removeLast());
        }
    }

    /** The CRC-32C of all octets of the session before an offset between what was acknowledged and what was sent. */
    int checksumAt(long offset) {
        SumAt before = sums.getFirst();
        if (sums.getLast().offset() <= offset) {
            before = sums.getLast();
        } else {
            for (SumAt each : sums) {
                before = each.offset() <= offset ? each : before;
            }
        }
        int sum = before.checksum();
        if (before.offset() < offset) {
            for (Segment segment : sentSegments) {
                sum = append(sum, segment, before.offset(), offset);
            }
            for (Segment segment : waiting) {
                sum = append(sum, segment, before.offset(), offset);
            }
        }
        return sum;
    }

    private static int append(int sum, Segment segment, long from, long to) {
        long first = Math.max(from, segment.from);
        long last = Math.min(to, segment.end());
        return first >= last ? sum : Crc32c.append(sum, segment.octets.nioBuffer((int) (first - segment.from), (int) (last - first)));
    }

    /** The far end has everything before an offset that was sent. */
    void acknowledge(long upTo) {
        if (upTo <= acknowledged()) {
            return;
        }
        SumAt here = new SumAt(upTo, checksumAt(upTo));
        while (!sums.isEmpty() && sums.getFirst().offset() <= upTo) {
            sums.removeFirst();
        }
        sums.addFirst(here);
        while (!sentSegments.isEmpty() && sentSegments.getFirst().end() <= upTo) {
            free(sentSegments.poll());
        }
    }

    private void free(Segment segment) {
        budget.give(segment.capacity);
        held -= segment.capacity;
        segment.octets.release();
    }

    /** The session is over. */
    void release() {
        sentSegments.forEach(this::free);
        sentSegments.clear();
        waiting.forEach(this::free);
        waiting.clear();
        sent = written;
    }

    /** Octets of memory that it holds. */
    long memory() {
        return held;
    }
}
