package org.tamanoir.repository.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.tamanoir.repository.bundle.BundleHash;

/** Files that have been hashed and found right. One is hashed again when its size or date has changed. For any number of threads. */
final class KnownGood {
    private record Seen(long size, FileTime modified) {
    }

    private final Map<String, Seen> good = new ConcurrentHashMap<>();

    /** Whether a file is there and has its size. */
    static boolean hasSize(Path file, long size) throws IOException {
        return look(file, size) != null;
    }

    /** Whether it was right when it was last hashed, and has not been changed since. */
    boolean isKnown(Path file, String sha256, long size) throws IOException {
        Seen seen = look(file, size);
        return seen != null && seen.equals(good.get(sha256));
    }

    /** Whether it is right; it is hashed if that is not known. */
    boolean check(Path file, String sha256, long size) throws IOException {
        Seen seen = look(file, size);
        if (seen != null && seen.equals(good.get(sha256))) {
            return true;
        }
        if (seen != null && BundleHash.of(file).equals(sha256)) {
            good.put(sha256, seen);
            return true;
        }
        good.remove(sha256);
        return false;
    }

    /** Takes a file as right that has just been hashed under another name. @throws IOException if it is not there, or has another size */
    void take(Path file, String sha256, long size) throws IOException {
        Seen seen = look(file, size);
        if (seen == null) {
            throw new IOException("what was just written is not there");
        }
        good.put(sha256, seen);
    }

    void forget(String sha256) {
        good.remove(sha256);
    }

    /** Null if the file is missing or has another size. */
    private static Seen look(Path file, long size) throws IOException {
        if (!Files.isRegularFile(file)) {
            return null;
        }
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        return attributes.size() == size ? new Seen(attributes.size(), attributes.lastModifiedTime()) : null;
    }
}
