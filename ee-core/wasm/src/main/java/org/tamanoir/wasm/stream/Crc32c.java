package org.tamanoir.wasm.stream;

import java.util.zip.CRC32C;

/**
 * CRC-32C (RFC 3720, appendix B.4) that goes on from an earlier one. Java's own begins anew each time, so the two are put together: what comes
 * before is moved by as many zero octets as follow, which is a matrix over GF(2) raised to a power (zlib, {@code crc32_combine}).
 */
final class Crc32c {
    private static final int POLYNOMIAL = 0x82F63B78;
    private static final int BITS = 32;

    private Crc32c() {
    }

    /** The checksum of all that {@code before} is the checksum of, followed by these octets; 0 for nothing before. */
    static int of(byte[] octets, int from, int length, int before) {
        CRC32C crc = new CRC32C();
        crc.update(octets, from, length);
        return before == 0 ? (int) crc.getValue() : (int) crc.getValue() ^ moved(before, length);
    }

    private static int moved(int before, int octets) {
        // One zero bit, then by squaring two, four, eight bits: one octet.
        int[] odd = new int[BITS];
        odd[0] = POLYNOMIAL;
        for (int i = 1; i < BITS; i++) {
            odd[i] = 1 << i - 1;
        }
        int[] power = square(square(square(odd)));
        int crc = before;
        for (int left = octets; left != 0; left >>>= 1) {
            if ((left & 1) != 0) {
                crc = times(power, crc);
            }
            power = square(power);
        }
        return crc;
    }

    private static int times(int[] matrix, int vector) {
        int sum = 0;
        for (int i = 0, rest = vector; rest != 0; i++, rest >>>= 1) {
            if ((rest & 1) != 0) {
                sum ^= matrix[i];
            }
        }
        return sum;
    }

    private static int[] square(int[] matrix) {
        int[] square = new int[BITS];
        for (int i = 0; i < BITS; i++) {
            square[i] = times(matrix, matrix[i]);
        }
        return square;
    }
}
