package org.tamanoir.observatory.live;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A document with the tag by which somebody knows whether it has changed.
 *
 * @param tag letters and digits
 */
public record Tagged(String json, String tag) {
    private static final int DIGITS = 32;

    /** @param what decides whether it has changed */
    static Tagged of(String json, String what) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(what.getBytes(StandardCharsets.UTF_8));
            return new Tagged(json, HexFormat.of().formatHex(hash).substring(0, DIGITS));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
