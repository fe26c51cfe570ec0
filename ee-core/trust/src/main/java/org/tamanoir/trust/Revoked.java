package org.tamanoir.trust;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * What is no longer trusted. The file has a line for each, and comments from {@code #} on:
 *
 * <pre>
 * key     SHA-256 of a public key (SubjectPublicKeyInfo): of a publisher, or of an authority
 * bundle  SHA-256 of a file
 * content SHA-256 of the manifest of a signed bundle: of these entries, in whatever way they are packed
 * </pre>
 *
 * @param keys     64 lower-case hexadecimal digits each
 * @param bundles  as keys
 * @param contents as keys
 */
record Revoked(Set<String> keys, Set<String> bundles, Set<String> contents) {
    private static final int MAX_OCTETS = 8 << 20;
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

    static final Revoked NOTHING = new Revoked(Set.of(), Set.of(), Set.of());

    /** @throws AnepException EE-501 if the file cannot be read, or has a line that means nothing */
    static Revoked read(Path file) {
        Revoked revoked = new Revoked(new HashSet<>(), new HashSet<>(), new HashSet<>());
        try {
            String text = new String(WatchedFile.read(file, MAX_OCTETS), StandardCharsets.UTF_8);
            int number = 0;
            for (String line : (Iterable<String>) text.lines()::iterator) {
                number++;
                String said = line.replaceFirst("#.*", "").strip();
                if (!said.isEmpty() && !revoked.add(said.split("\\s+"))) {
                    throw new AnepException(ErrorCode.BAD_CONFIGURATION, "line " + number + " of the list of what is revoked " + file
                            + " is not 'key', 'bundle' or 'content' and 64 hexadecimal digits");
                }
            }
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "the list of what is revoked " + file + " cannot be read: " + e, e);
        }
        return revoked;
    }

    private boolean add(String[] words) {
        Set<String> into = switch (words[0]) {
            case "key" -> keys;
            case "bundle" -> bundles;
            case "content" -> contents;
            default -> null;
        };
        String hash = words.length == 2 ? words[1].toLowerCase(Locale.ROOT).replace(":", "") : "";
        return into != null && HASH.matcher(hash).matches() && (into.add(hash) || true);
    }

    void checkBundle(String sha256) {
        if (bundles.contains(sha256)) {
            throw refused("the bundle " + sha256);
        }
    }

    void checkContent(String sha256) {
        if (contents.contains(sha256)) {
            throw refused("the content " + sha256 + " of the bundle");
        }
    }

    void checkKey(X509Certificate certificate) {
        Publisher owner = Publisher.of(certificate);
        if (keys.contains(owner.key())) {
            throw refused("the key " + owner.key() + " of " + owner.name());
        }
    }

    private static AnepException refused(String what) {
        return new AnepException(ErrorCode.REVOKED, what + " has been revoked");
    }
}
