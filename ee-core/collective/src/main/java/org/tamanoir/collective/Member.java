package org.tamanoir.collective;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * One member of a group, without I/O: counts operations, cuts what it has into pieces, and puts results together. Not safe for threads.
 *
 * <p>Whoever drives it sends {@link #join}, waits for {@link #isReady}, and then for each operation sends the pieces of {@link #begin} until {@link #result} has it. It
 * must read while it writes: a node reads no more of a member that does not take its results.
 */
public final class Member {
    /** Octets of a result, at most. */
    public static final int MOST_OCTETS = 1 << 30;

    private final Frame.Join join;
    private final int rank;
    private final Map<Long, Pending> pending = new TreeMap<>();
    /** What others have sent of operations that have not begun here. */
    private final Map<Long, Pending> early = new TreeMap<>();
    private long begun;
    private long safe;
    private boolean ready;
    private Frame.Failed failed;

    /** @param epoch from 1: the next one after a group has failed @param rank below {@code size} */
    public Member(String group, long epoch, int size, int rank) {
        this.join = new Frame.Join(false, epoch, size, group, Ranks.of(rank));
        this.rank = rank;
    }

    /** One operation that has begun here. */
    private static final class Pending {
        private final Signature signature;
        private final byte[] own;
        private final Map<Integer, byte[]> data = new TreeMap<>();
        private final Map<Integer, Integer> arrived = new TreeMap<>();
        private byte[] vector = {};
        private int vectorOctets;
        private boolean complete;
        private boolean save;

        Pending(Signature signature, byte[] own) {
            this.signature = signature;
            this.own = own;
        }
    }

    /**
     * What an operation has brought.
     *
     * @param octets of a {@code REDUCE}, {@code TOP}, {@code QUANTILES} or {@code BROADCAST}; empty for whoever gets none
     * @param all    of a {@code GATHER}, by rank; empty for whoever gets none
     * @param save   whether a cut is behind it: save what you know, and send {@link Frame.Saved} with the number of the operation
     */
    public record Result(byte[] octets, Map<Integer, byte[]> all, boolean save) {
    }

    /** The first frame to send. */
    public Frame join() {
        return join;
    }

    /** Whether all members are there. */
    public boolean isReady() {
        return ready;
    }

    /** Why the group is broken, or why this member may not join; null while it is well. */
    public Frame.Failed failed() {
        return failed;
    }

    /** The operation behind which all members have saved what they know; 0 for none. */
    public long safe() {
        return safe;
    }

    /** The number of the operation that has begun last. */
    public long begun() {
        return begun;
    }

    /**
     * Begins the next operation.
     *
     * @param own a vector, values, entries or content; empty where the operation takes none of this member. Not copied: leave it alone until the pieces are sent
     * @return what is to be sent, made as it is asked for
     */
    public Iterator<Piece> begin(Signature signature, byte[] own) {
        begun++;
        Pending operation = new Pending(signature, own);
        Pending before = early.remove(begun);
        if (before != null) {
            operation.data.putAll(before.data);
            operation.arrived.putAll(before.arrived);
        }
        pending.put(begun, operation);
        long number = begun;
        boolean routed = signature.operation() == Operation.GATHER && (join.size() > 1 && signature.argument() != rank)
                || signature.operation() == Operation.BROADCAST && signature.argument() == rank && join.size() > 1;
        boolean combined = switch (signature.operation()) {
            case REDUCE, TOP, QUANTILES -> true;
            default -> false;
        };
        Piece last = Piece.part(number, signature, 0, 0, new byte[0]);
        return new Iterator<>() {
            private int at = routed || combined ? 0 : -1;
            private boolean closed = combined;

            @Override
            public boolean hasNext() {
                return at >= 0 || !closed;
            }

            @Override
            public Piece next() {
                if (at < 0) {
                    if (closed) {
                        throw new NoSuchElementException();
                    }
                    closed = true;
                    return last;
                }
                int offset = at;
                byte[] data = Arrays.copyOfRange(own, offset, Math.min(own.length, offset + Piece.LONGEST));
                at = offset + data.length < own.length ? offset + data.length : -1;
                return combined ? Piece.part(number, signature, own.length, offset, data) : Piece.data(number, signature, rank, own.length, offset, data);
            }
        };
    }

    /** What the node has said. @throws AnepException EE-109 for what makes no sense */
    public void receive(Frame frame) {
        if (frame instanceof Piece piece) {
            receive(piece);
        } else if (frame instanceof Frame.Ready) {
            ready = true;
        } else if (frame instanceof Frame.Failed told) {
            failed = told;
            safe = Math.max(safe, told.safe());
        } else if (frame instanceof Frame.Refused refused) {
            failed = new Frame.Failed(refused.code(), 0, Ranks.none(), refused.text());
        } else if (frame instanceof Frame.Safe told) {
            safe = told.number();
        } else {
            throw bad("a node says " + frame.getClass().getSimpleName() + " to a member");
        }
    }

    private void receive(Piece piece) {
        Pending operation = pending.get(piece.number());
        if (piece.total() > MOST_OCTETS) {
            throw bad("a result of " + piece.total() + " octets");
        }
        if (operation == null) {
            // What others have sent ahead of this member's own part.
            if (piece.way() != Piece.Way.DATA || piece.number() <= begun) {
                throw bad("a piece of operation " + piece.number() + ", which is not under way");
            }
            ahead(piece);
            return;
        }
        if (piece.way() == Piece.Way.DATA) {
            data(operation, piece);
            return;
        }
        if (piece.way() != Piece.Way.RESULT || operation.complete) {
            throw bad("a contribution comes down, or a result twice");
        }
        if (piece.data().length > 0) {
            operation.vector = put(operation.vector, operation.vectorOctets, piece);
            operation.vectorOctets += piece.data().length;
        }
        operation.complete = piece.has(Piece.LAST);
        operation.save = piece.has(Piece.SAVE);
    }

    private void ahead(Piece piece) {
        data(early.computeIfAbsent(piece.number(), unused -> new Pending(piece.signature(), new byte[0])), piece);
    }

    private static void data(Pending operation, Piece piece) {
        int had = operation.arrived.getOrDefault(piece.rank(), 0);
        operation.data.put(piece.rank(), put(operation.data.getOrDefault(piece.rank(), new byte[0]), had, piece));
        operation.arrived.put(piece.rank(), had + piece.data().length);
    }

    private static byte[] put(byte[] into, int had, Piece piece) {
        if (piece.offset() != had) {
            throw bad("octets " + piece.offset() + " of a result; " + had + " come next");
        }
        byte[] whole = had == 0 ? new byte[(int) piece.total()] : into;
        if (whole.length != piece.total()) {
            throw bad("a result of " + piece.total() + " octets that had " + whole.length);
        }
        System.arraycopy(piece.data(), 0, whole, had, piece.data().length);
        return whole;
    }

    private static AnepException bad(String text) {
        return new AnepException(ErrorCode.BAD_CONTENT, text);
    }

    /** The result of an operation, once; null if it is not complete. */
    public Result result(long number) {
        Pending operation = pending.get(number);
        if (operation == null || !operation.complete) {
            return null;
        }
        pending.remove(number);
        Map<Integer, byte[]> all = new TreeMap<>(operation.data);
        Signature signature = operation.signature;
        byte[] octets = operation.vector;
        if (signature.operation() == Operation.BROADCAST) {
            octets = signature.argument() == rank ? operation.own : all.getOrDefault(signature.argument(), new byte[0]);
            all.clear();
        } else if (signature.operation() == Operation.GATHER && signature.isFor(join.ranks())) {
            all.put(rank, operation.own);
        }
        return new Result(octets, all, operation.save);
    }
}
