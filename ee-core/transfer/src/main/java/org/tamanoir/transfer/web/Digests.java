package org.tamanoir.transfer.web;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The fields in which clients ask for checksums, and servers tell them: {@code Want-Digest} and {@code Digest} (RFC 3230), which grid storage speaks, with ADLER32 as
 * eight hexadecimal digits; {@code Want-Repr-Digest} and {@code Repr-Digest} (RFC 9530), which took their place, with octets in Base64.
 */
public final class Digests {
    public static final String ADLER32 = "adler32";
    public static final String SHA256 = "sha-256";
    private static final List<String> KNOWN = List.of(ADLER32, SHA256);

    private Digests() {
    }

    /**
     * The algorithm that is wanted most, of those that are known here.
     *
     * @param wanted the value of {@code Want-Digest}, with qualities up to 1, or of {@code Want-Repr-Digest}, with preferences up to 10
     * @return null for none
     */
    public static String chosen(String wanted) {
        String best = null;
        double most = 0;
        for (String one : wanted.split(",")) {
            String[] words = one.strip().split("\\s*[;=]\\s*", -1);
            String name = name(words[0]);
            double weight = words.length == 1 ? 1 : number(words[words.length - 1]);
            if (KNOWN.contains(name) && weight > most) {
                best = name;
                most = weight;
            }
        }
        return best;
    }

    private static String name(String word) {
        String name = word.toLowerCase(Locale.ROOT);
        return name.equals("adler") ? ADLER32 : name;
    }

    private static double number(String word) {
        try {
            return Double.parseDouble(word);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** The value of {@code Digest}. @param hex the checksum in hexadecimal */
    public static String digest(String algorithm, String hex) {
        return algorithm + "=" + (algorithm.equals(ADLER32) ? hex : base64(hex));
    }

    /** The value of {@code Repr-Digest}. */
    public static String reprDigest(String algorithm, String hex) {
        return (algorithm.equals(ADLER32) ? "adler" : algorithm) + "=:" + base64(hex) + ":";
    }

    private static String base64(String hex) {
        return Base64.getEncoder().encodeToString(HexFormat.of().parseHex(hex));
    }

    /** The checksum by an algorithm, in hexadecimal, that fields of either kind tell; null for none. */
    public static String found(Map<String, List<String>> fields, String algorithm) {
        List<String> values = new ArrayList<>();
        fields.forEach((name, all) -> {
            if (name.equalsIgnoreCase("digest") || name.equalsIgnoreCase("repr-digest")) {
                values.addAll(all);
            }
        });
        for (String value : values) {
            for (String one : value.split(",")) {
                int equals = one.indexOf('=');
                if (equals > 0 && name(one.substring(0, equals).strip()).equals(algorithm)) {
                    return hex(algorithm, one.substring(equals + 1).strip());
                }
            }
        }
        return null;
    }

    /** Some servers leave out the leading zeros of an ADLER32. */
    private static String hex(String algorithm, String text) {
        try {
            boolean field = text.startsWith(":") && text.endsWith(":") && text.length() > 2;
            if (algorithm.equals(ADLER32) && !field) {
                return "%08x".formatted((int) Long.parseLong(text, 16));
            }
            byte[] octets = Base64.getDecoder().decode(field ? text.substring(1, text.length() - 1) : text);
            return algorithm.equals(ADLER32) ? "%08x".formatted(ByteBuffer.wrap(octets).getInt()) : HexFormat.of().formatHex(octets);
        } catch (IllegalArgumentException | BufferUnderflowException e) {
            return null;
        }
    }
}
