package org.tamanoir.services.cache.objects;

/**
 * What there is of an object at some place.
 *
 * @param kind   what to do
 * @param octets of {@link Kind#DATA}, from {@code from} on, {@code length} of them; they do not change any more
 * @param name   of the block of {@link Kind#DISK}
 * @param fill   to go on with, of {@link Kind#GO_ON}
 * @param start  the first octet to ask the origin for, of {@link Kind#ASK} and {@link Kind#GO_ON}
 * @param until  the one behind the last
 */
public record Piece(Kind kind, byte[] octets, int from, int length, String name, Fill fill, long start, long until) {
    static final Piece WAIT = new Piece(Kind.WAIT, null, 0, 0, null, null, 0, 0);
    static final Piece END = new Piece(Kind.END, null, 0, 0, null, null, 0, 0);
    static final Piece GONE = new Piece(Kind.GONE, null, 0, 0, null, null, 0, 0);

    /** What to do. */
    public enum Kind {
        /** Here it is. */
        DATA,
        /** It is on the disk: {@link BlockTier#load}, and look again. */
        DISK,
        /** It is coming: the waiter will be woken. */
        WAIT,
        /** Whoever brought it is gone: ask the origin, and go on with the fill. */
        GO_ON,
        /** Nobody brings it: ask the origin. */
        ASK,
        /** There is no more. */
        END,
        /** It will never be there. */
        GONE
    }

    /** What a block that was just read has of an object at a place. */
    public static Piece of(byte[] block, long offset, long until) {
        int at = (int) (offset % CachedObject.BLOCK);
        return at >= block.length ? GONE : data(block, at, (int) Math.min(until - offset, block.length - at));
    }

    static Piece data(byte[] octets, int from, int length) {
        return new Piece(Kind.DATA, octets, from, length, null, null, 0, 0);
    }

    static Piece disk(String name) {
        return new Piece(Kind.DISK, null, 0, 0, name, null, 0, 0);
    }

    static Piece ask(Fill fill, long start, long until) {
        return new Piece(fill == null ? Kind.ASK : Kind.GO_ON, null, 0, 0, null, fill, start, until);
    }
}
