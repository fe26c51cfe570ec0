package org.tamanoir.oci;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** {@code sha256:} and 64 hexadecimal digits in lower case: the name of any content. */
final class Digest {
    private static final String PREFIX = "sha256:";

    private Digest() {
    }

    /** @param sha256 64 hexadecimal digits in lower case */
    static String of(String sha256) {
        if (!sha256.matches("[0-9a-f]{64}")) {
            throw new IllegalArgumentException("'" + sha256 + "' is no SHA-256");
        }
        return PREFIX + sha256;
    }

    static String of(byte[] octets) {
        MessageDigest digest = begin();
        digest.update(octets);
        return end(digest);
    }

    static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    static String end(MessageDigest digest) {
        return PREFIX + HexFormat.of().formatHex(digest.digest());
    }
}
