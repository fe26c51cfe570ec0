package org.tamanoir.anep;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC-32C (RFC 9260 appendix A) that goes on from a sum. {@link CRC32C} cannot be given one, so the sum of what follows is computed by it, at the speed of
 * the hardware, and the two are put together: what {@code k} octets do to a sum before them is a multiplication by x to the power of {@code 8k}
 * modulo the polynomial (M. Adler's {@code crc32_combine}, zlib).
 */
public final class Crc32c {
    /** Castagnoli's polynomial, bits reversed (RFC 9260 appendix A). */
    private static final int POLYNOMIAL = 0x82F63B78;
    /** x to the power of 8 times 2 to the power of the index, modulo the polynomial: what so many zero octets multiply a sum by. */
    private static final int[] SHIFTS = new int[63];

    static {
        // x^1 is the second highest bit in the reversed order; squared three times it is x^8, one octet.
        int power = 1 << 30;
        for (int i = 0; i < 3; i++) {
            power = multiply(power, power);
        }
        for (int i = 0; i < SHIFTS.length; i++) {
            SHIFTS[i] = power;
            power = multiply(power, power);
        }
    }

    private final CRC32C sum = new CRC32C();
    /** The sum of what came before {@link #sum} was begun, and the octets since. */
    private int before;
    private long octets;

    /** Goes on from a sum; 0 for nothing before. */
    public void restart(int from) {
        sum.reset();
        before = from;
        octets = 0;
    }

    /** Adds octets, which are read. */
    public void update(ByteBuffer more) {
        octets += more.remaining();
        sum.update(more);
    }

    /** The sum of all. */
    public int value() {
        return before == 0 ? (int) sum.getValue() : combine(before, (int) sum.getValue(), octets);
    }

    /** The product of two polynomials modulo the CRC's, bits reversed. */
    private static int multiply(int a, int b) {
        int product = 0;
        int shifted = b;
        for (int bit = 1 << 31; bit != 0; bit >>>= 1) {
            if ((a & bit) != 0) {
                product ^= shifted;
            }
            shifted = (shifted & 1) != 0 ? shifted >>> 1 ^ POLYNOMIAL : shifted >>> 1;
        }
        return product;
    }

    /** The sum of all octets once, from that of those before and the octets that follow, which are read. */
    public static int append(int before, ByteBuffer octets) {
        int length = octets.remaining();
        CRC32C sum = new CRC32C();
        sum.update(octets);
        return combine(before, (int) sum.getValue(), length);
    }

    /** The sum of two parts, from the sum of each. @param length octets of the second part, 0 or more */
    public static int combine(int first, int second, long length) {
        int sum = first;
        int i = 0;
        for (long left = length; left != 0; left >>>= 1) {
            if ((left & 1) != 0) {
                sum = multiply(SHIFTS[i], sum);
            }
            i++;
        }
        return sum ^ second;
    }
}
