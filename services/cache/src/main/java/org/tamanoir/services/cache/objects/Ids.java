package org.tamanoir.services.cache.objects;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/** Names of objects in the store. */
final class Ids {
    private Ids() {
    }

    static String of(String key, Map<String, String> variant) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(key.getBytes(UTF_8));
            new TreeMap<>(variant).forEach((name, value) -> digest.update(("\n" + name + ": " + value).getBytes(UTF_8)));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
