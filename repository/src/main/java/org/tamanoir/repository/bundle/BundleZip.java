package org.tamanoir.repository.bundle;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Reads a zip file whole, without keeping it: every entry can be expanded and has its checksum, and all of them together stay within
 * bounds, so that whoever installs the bundle meets no surprise.
 */
final class BundleZip {
    /** Entries of the largest bundles seen are some thousands. */
    private static final int MAX_ENTRIES = 20_000;
    /** Signed jars list every entry in the manifest: some 100 octets each. */
    private static final int MAX_MANIFEST = 2 << 20;
    /** What any bundle may expand to, however small it is. */
    private static final long MIN_EXPANDED = 16 << 20;
    /** Class files shrink to a half or a third; only a bomb shrinks to a fiftieth. */
    private static final long MAX_RATIO = 50;

    private final byte[] buffer = new byte[16 << 10];
    private long left;

    private BundleZip(long size) {
        left = Math.max(MIN_EXPANDED, size * MAX_RATIO);
    }

    /**
     * Checks every entry and reads the manifest.
     *
     * @throws AnepException EE-401 if it is no zip file, is broken, expands beyond bounds or has no manifest
     * @throws IOException if the file cannot be read at all
     */
    static Manifest read(Path file) throws IOException {
        BundleZip reader = new BundleZip(Files.size(file));
        try (ZipFile zip = new ZipFile(file.toFile())) {
            return reader.read(zip);
        } catch (ZipException e) {
            throw refused("it is no zip file, or a broken one: " + e.getMessage());
        } catch (IllegalArgumentException e) {
            // Names that are no UTF-8, and dates that do not exist.
            throw refused("it is a broken zip file: " + e.getMessage());
        }
    }

    private Manifest read(ZipFile zip) throws IOException {
        if (zip.size() > MAX_ENTRIES) {
            throw refused("it has " + zip.size() + " entries; " + MAX_ENTRIES + " are allowed");
        }
        byte[] manifest = null;
        Set<String> names = new HashSet<>();
        for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements();) {
            ZipEntry entry = entries.nextElement();
            checkName(entry.getName());
            if (!names.add(entry.getName())) {
                throw refused("it has two entries " + entry.getName());
            }
            byte[] content = expand(zip, entry, entry.getName().equals(JarFile.MANIFEST_NAME));
            manifest = content == null ? manifest : content;
        }
        if (manifest == null) {
            throw refused("it has no " + JarFile.MANIFEST_NAME);
        }
        try {
            return new Manifest(new ByteArrayInputStream(manifest));
        } catch (IOException e) {
            throw refused("its manifest is malformed: " + e.getMessage());
        }
    }

    private static void checkName(String name) {
        boolean climbs = name.startsWith("/") || name.indexOf('\\') >= 0 || ("/" + name + "/").contains("/../");
        if (name.isEmpty() || climbs || name.chars().anyMatch(Character::isISOControl)) {
            throw refused("it has an entry whose name is not allowed");
        }
    }

    /** Expands one entry, checks it, and gives its content if that is wanted. */
    private byte[] expand(ZipFile zip, ZipEntry entry, boolean keep) throws IOException {
        CRC32 crc = new CRC32();
        long size = 0;
        byte[] kept = null;
        try (InputStream in = zip.getInputStream(entry)) {
            if (keep) {
                kept = in.readNBytes(MAX_MANIFEST + 1);
                if (kept.length > MAX_MANIFEST) {
                    throw refused("its manifest is longer than " + MAX_MANIFEST + " octets");
                }
                crc.update(kept);
                size = kept.length;
                left -= size;
            } else {
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    crc.update(buffer, 0, n);
                    size += n;
                    left -= n;
                    if (left < 0) {
                        throw refused("it expands to far more than its size");
                    }
                }
            }
        } catch (IOException e) {
            throw refused("its entry " + entry.getName() + " cannot be expanded: " + e.getMessage());
        }
        if (crc.getValue() != entry.getCrc() || size != entry.getSize()) {
            throw refused("its entry " + entry.getName() + " is not what its checksum says");
        }
        return kept;
    }

    private static AnepException refused(String why) {
        return new AnepException(ErrorCode.NOT_A_BUNDLE, "the file is no valid bundle: " + why);
    }
}
