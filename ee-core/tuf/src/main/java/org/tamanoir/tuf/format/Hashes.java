package org.tamanoir.tuf.format;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Hashes that a document gives for something: at least one of SHA-256 and SHA-512. Others are passed over.
 *
 * @param sha256 64 lower-case hexadecimal digits, or null
 * @param sha512 128, or null
 */
public record Hashes(String sha256, String sha512) {
    private static final Pattern HEX = Pattern.compile("[0-9a-f]+");
    private static final int MOST = 8;

    static Hashes read(Fields fields, String name) {
        Fields hashes = fields.object(name);
        if (hashes.raw().size() > MOST) {
            throw Fields.bad(fields.place(name) + " has more than " + MOST + " entries");
        }
        Hashes read = new Hashes(hash(hashes, "sha256", 64), hash(hashes, "sha512", 128));
        if (read.sha256 == null && read.sha512 == null) {
            throw Fields.bad(fields.place(name) + " has neither sha256 nor sha512");
        }
        return read;
    }

    private static String hash(Fields hashes, String name, int digits) {
        if (!hashes.has(name)) {
            return null;
        }
        String hash = hashes.text(name).toLowerCase(Locale.ROOT);
        if (hash.length() != digits || !HEX.matcher(hash).matches()) {
            throw Fields.bad(hashes.place(name) + " is not " + digits + " hexadecimal digits");
        }
        return hash;
    }

    /** Whether octets have each of these. */
    public boolean match(byte[] octets) {
        return (sha256 == null || sha256.equals(sha256(octets))) && (sha512 == null || sha512.equals(digest("SHA-512", octets)));
    }

    Map<String, Object> json() {
        return Map.of("sha256", sha256);
    }

    public static String sha256(byte[] octets) {
        return digest("SHA-256", octets);
    }

    private static String digest(String algorithm, byte[] octets) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(octets));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + algorithm, e);
        }
    }
}
