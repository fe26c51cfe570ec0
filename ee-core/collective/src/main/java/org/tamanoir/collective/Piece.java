package org.tamanoir.collective;

import java.util.Arrays;

/**
 * A part of what goes through an operation: up toward the root as a contribution, down as a result, or either way from one member to others.
 *
 * @param way    what it is
 * @param flags  of a result: {@link #LAST}, {@link #SAVE}; of a contribution: {@link #SKETCH}
 * @param number the operation's, from 1
 * @param rank   of {@code DATA}: whose it is; otherwise 0
 * @param total  octets of the whole
 * @param offset of these octets in the whole
 * @param data   at most {@link #LONGEST}; not copied, and never written to
 */
public record Piece(Way way, int flags, Signature signature, long number, int rank, long total, long offset, byte[] data) implements Frame {
    /** Octets of all pieces of a vector but its last. */
    public static final int LONGEST = 32_768;
    /** With this piece the operation is complete for whoever gets it. */
    public static final int LAST = 1;
    /** Behind this operation is a cut: save what you know now. */
    public static final int SAVE = 2;
    /** The data is a sketch that a node has made of values. */
    public static final int SKETCH = 4;

    /** Where a piece goes. */
    public enum Way {
        /** A contribution, which the nodes combine: up. */
        PART(5),
        /** A result: down. */
        RESULT(6),
        /** What one member has for others: up and down, as it is. */
        DATA(7);

        private final int code;

        Way(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }
    }

    public static Piece part(long number, Signature signature, long total, long offset, byte[] data) {
        return new Piece(Way.PART, 0, signature, number, 0, total, offset, data);
    }

    public static Piece data(long number, Signature signature, int rank, long total, long offset, byte[] data) {
        return new Piece(Way.DATA, 0, signature, number, rank, total, offset, data);
    }

    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** Whether it is the last of its vector. */
    public boolean ends() {
        return offset + data.length == total;
    }

    /** Of a result: what remains of it for those who get none. */
    public Piece withoutData() {
        return new Piece(way, flags, signature, number, rank, 0, 0, new byte[0]);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Piece piece && way == piece.way && flags == piece.flags && signature.equals(piece.signature) && number == piece.number
                && rank == piece.rank && total == piece.total && offset == piece.offset && Arrays.equals(data, piece.data);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number * 31 + offset);
    }
}
