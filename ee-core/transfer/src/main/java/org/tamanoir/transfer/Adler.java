package org.tamanoir.transfer;

/**
 * ADLER32 (RFC 1950 section 8.2) of a whole from those of its parts, in whichever order they came: the checksum that grid storage keeps of files. Written as
 * eight hexadecimal digits, leading zeros too.
 */
public final class Adler {
    /** The largest prime below 65,536. */
    private static final long BASE = 65_521;
    /** Of no octets. */
    public static final int EMPTY = 1;
    /** Characters of its text. */
    public static final int DIGITS = 8;

    private Adler() {
    }

    /**
     * The sum of two parts, one behind the other.
     *
     * @param length octets of the second
     */
    public static int combine(int first, int second, long length) {
        long a1 = first & 0xFFFF;
        long b1 = first >>> 16;
        long a2 = second & 0xFFFF;
        long b2 = second >>> 16;
        // a counts from 1, which the second sum has as well; b of the second part misses what a had before it, once for each octet.
        long a = (a1 + a2 + BASE - 1) % BASE;
        long b = (b1 + b2 + length % BASE * (a1 + BASE - 1)) % BASE;
        return (int) (b << 16 | a);
    }

    /** Eight hexadecimal digits. */
    public static String text(int sum) {
        return "%08x".formatted(sum);
    }
}
