package org.tamanoir.node.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** A value as it stands in the file: behind the CRC-32C (RFC 3720 appendix B.4) of its key and itself, because the MVStore checks no values. */
final class Sealed {
    private static final int CHECK = 4;

    private Sealed() {
    }

    static byte[] of(String key, byte[] value) {
        return ByteBuffer.allocate(CHECK + value.length).putInt(check(key, value, 0)).put(value).array();
    }

    /** @throws IllegalStateException if it is not as it was written */
    static byte[] open(String key, byte[] sealed) {
        if (sealed.length < CHECK || ByteBuffer.wrap(sealed).getInt() != check(key, sealed, CHECK)) {
            throw new IllegalStateException("a value is not as it was written");
        }
        return Arrays.copyOfRange(sealed, CHECK, sealed.length);
    }

    /** Octets of the value in it; 0 for null. */
    static long length(byte[] sealed) {
        return sealed == null ? 0 : sealed.length - CHECK;
    }

    private static int check(String key, byte[] octets, int from) {
        CRC32C crc = new CRC32C();
        crc.update(key.getBytes(StandardCharsets.UTF_8));
        crc.update(octets, from, octets.length - from);
        return (int) crc.getValue();
    }
}
