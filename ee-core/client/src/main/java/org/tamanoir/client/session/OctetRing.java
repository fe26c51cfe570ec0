package org.tamanoir.client.session;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * What one direction has written and the far end has not acknowledged: octets by their offsets since the beginning of the session, how far they have
 * been sent, and the checksums at the marks among them. Memory comes in chunks of one budget; the first chunk of a ring is its own, so that no session
 * waits for others to begin.
 */
final class OctetRing {
    /** Octets of a chunk, which leaves as one packet. */
    static final int CHUNK = 60_000;

    private record MarkedAt(long offset, int checksum) {
    }

    private final long most;
    private final RingBudget budget;
    private final ArrayDeque<byte[]> chunks = new ArrayDeque<>();
    /** Marks in what was not acknowledged, oldest first; the first is what was acknowledged last. */
    private final ArrayDeque<MarkedAt> marks = new ArrayDeque<>();
    /** The offset of the first octet of the first chunk. */
    private long base;
    private long written;
    private long sent;
    private int checksum;

    /** @param most octets that may wait for an acknowledgement; at least one chunk */
    OctetRing(long most, RingBudget budget) {
        this.most = Math.max(most, CHUNK);
        this.budget = budget;
        marks.add(new MarkedAt(0, 0));
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
        return marks.getFirst().offset();
    }

    /** Takes as much as there is room for. @return octets taken; 0: wait for an acknowledgement */
    int write(ByteBuffer octets) {
        int taken = 0;
        while (octets.hasRemaining() && written - acknowledged() < most) {
            if (written == base + (long) chunks.size() * CHUNK && !grow()) {
                break;
            }
            int at = (int) ((written - base) % CHUNK);
            int count = (int) Math.min(Math.min(octets.remaining(), CHUNK - at), most - (written - acknowledged()));
            octets.get(chunks.getLast(), at, count);
            written += count;
            taken += count;
        }
        return taken;
    }

    private boolean grow() {
        if (!chunks.isEmpty() && !budget.take(CHUNK)) {
            return false;
        }
        chunks.add(new byte[CHUNK]);
        return true;
    }

    /** The next octets to send, a view of one chunk that is good until the next acknowledgement; empty if everything was sent. */
    ByteBuffer send(int atMost) {
        ByteBuffer part = view(sent, (int) Math.min(atMost, written - sent));
        checksum = Crc32c.append(checksum, part.duplicate());
        sent += part.remaining();
        return part;
    }

    private ByteBuffer view(long from, int atMost) {
        if (atMost == 0) {
            return ByteBuffer.allocate(0);
        }
        int at = (int) ((from - base) % CHUNK);
        Iterator<byte[]> all = chunks.iterator();
        byte[] chunk = all.next();
        for (long skip = (from - base) / CHUNK; skip > 0; skip--) {
            chunk = all.next();
        }
        return ByteBuffer.wrap(chunk, at, Math.min(atMost, CHUNK - at)).slice().asReadOnlyBuffer();
    }

    /** A mark stands here. @return the CRC-32C of all octets before it */
    int mark() {
        if (marks.getLast().offset() < sent) {
            marks.add(new MarkedAt(sent, checksum));
        }
        return checksum;
    }

    /** Whether a far end can have everything before an offset, and what follows is still here. */
    boolean has(long offset) {
        return offset >= acknowledged() && offset <= sent;
    }

    /** Goes back to what another leg has to send first. @param to that it {@link #has} */
    void rewind(long to) {
        checksum = checksumAt(to);
        sent = to;
        while (marks.size() > 1 && marks.getLast().offset() > to) {
            marks.removeLast();
        }
    }

    /** The CRC-32C of all octets of the session before an offset between what was acknowledged and what was sent. */
    int checksumAt(long offset) {
        MarkedAt before = marks.getFirst();
        for (MarkedAt mark : marks) {
            before = mark.offset() <= offset ? mark : before;
        }
        int sum = before.checksum();
        for (long at = before.offset(); at < offset;) {
            ByteBuffer part = view(at, (int) Math.min(CHUNK, offset - at));
            at += part.remaining();
            sum = Crc32c.append(sum, part);
        }
        return sum;
    }

    /** The far end has everything before an offset that was sent. */
    void acknowledge(long upTo) {
        if (upTo <= acknowledged()) {
            return;
        }
        MarkedAt here = new MarkedAt(upTo, checksumAt(upTo));
        while (!marks.isEmpty() && marks.getFirst().offset() <= upTo) {
            marks.removeFirst();
        }
        marks.addFirst(here);
        while (chunks.size() > 1 && upTo - base >= CHUNK) {
            chunks.removeFirst();
            budget.give(CHUNK);
            base += CHUNK;
        }
        if (upTo == written) {
            // The chunk that is left begins anew, so that what comes next need not cross its end.
            base = written;
        }
    }

    /** The session is over. */
    void release() {
        budget.give((long) Math.max(0, chunks.size() - 1) * CHUNK);
        chunks.clear();
        base = written;
        sent = written;
    }

    /** Octets of memory that it holds. */
    long memory() {
        return (long) chunks.size() * CHUNK;
    }
}
