package org.tamanoir.repository.bundle;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.module.WasmModule;

/**
 * Reads a zip file whole, without keeping it: every entry can be expanded and has its checksum, and all of them together stay within
 * bounds, so that whoever installs the bundle meets no surprise.
 */
final class BundleZip {
    /** Entries of the largest bundles seen are some thousands. */
    private static final int MAX_ENTRIES = 20_000;
    /** Signed jars list every entry in the manifest: some 100 octets each. */
    private static final int MAX_MANIFEST = 2 << 20;
    private static final int MAX_NAME = 1_024;
    /** Descriptions that bnd writes have a few hundred octets. */
    private static final int MAX_COMPONENT = 64 << 10;
    private static final int MAX_COMPONENTS = 100;
    private static final int CLASS_HEAD = 8;
    private static final int CLASS_MAGIC = 0xCAFEBABE;
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
     * Checks every entry and reads what the gate looks at.
     *
     * @throws AnepException EE-401 if it is no zip file, is broken, expands beyond bounds or has no manifest
     * @throws IOException if the file cannot be read at all
     */
    static BundleContent read(Path file) throws IOException {
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

    private BundleContent read(ZipFile zip) throws IOException {
        if (zip.size() > MAX_ENTRIES) {
            throw refused("it has " + zip.size() + " entries; " + MAX_ENTRIES + " are allowed");
        }
        Manifest manifest = manifest(zip);
        List<ComponentPath> described = ComponentPath.of(manifest);
        if (described.size() > MAX_COMPONENTS) {
            throw refused(ComponentPath.HEADER + " has more than " + MAX_COMPONENTS + " paths");
        }
        Set<String> names = new HashSet<>();
        Map<String, Integer> classes = new TreeMap<>();
        Map<String, byte[]> components = new TreeMap<>();
        byte[] module = null;
        for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements();) {
            ZipEntry entry = entries.nextElement();
            String name = entry.getName();
            checkName(name);
            if (!names.add(name)) {
                throw refused("it has two entries " + name);
            }
            boolean isComponent = described.stream().anyMatch(path -> path.matches(name));
            boolean isModule = name.equals(WasmModule.ENTRY);
            byte[] head = expand(zip, entry, isComponent ? MAX_COMPONENT + 1 : name.endsWith(".class") ? CLASS_HEAD : isModule ? ModuleContent.MOST + 1 : 0);
            if (isModule) {
                module = head;
            }
            if (isComponent) {
                components.put(name, component(name, head, components.size()));
            } else if (name.endsWith(".class")) {
                classes.put(name, major(head));
            }
        }
        return new BundleContent(manifest, names, classes, components, module);
    }

    private Manifest manifest(ZipFile zip) throws IOException {
        ZipEntry entry = zip.getEntry(JarFile.MANIFEST_NAME);
        if (entry == null) {
            throw refused("it has no " + JarFile.MANIFEST_NAME);
        }
        byte[] octets = expand(zip, entry, MAX_MANIFEST + 1);
        if (octets.length > MAX_MANIFEST) {
            throw refused("its manifest is longer than " + MAX_MANIFEST + " octets");
        }
        try {
            return new Manifest(new ByteArrayInputStream(octets));
        } catch (IOException e) {
            throw refused("its manifest is malformed: " + e.getMessage());
        }
    }

    private static byte[] component(String name, byte[] document, int before) {
        if (document.length > MAX_COMPONENT || before == MAX_COMPONENTS) {
            throw refused(name + " is longer than " + MAX_COMPONENT + " octets, or one of more than " + MAX_COMPONENTS
                    + " component descriptions");
        }
        return document;
    }

    /** Of a class file, from its first octets; 0 if it is none (JVM specification, section 4.1). */
    private static int major(byte[] head) {
        return head.length == CLASS_HEAD && ByteBuffer.wrap(head).getInt() == CLASS_MAGIC ? ByteBuffer.wrap(head).getShort(6) & 0xFFFF : 0;
    }

    private static void checkName(String name) {
        if (name.length() > MAX_NAME) {
            throw refused("it has an entry whose name is longer than " + MAX_NAME + " characters");
        }
        boolean climbs = name.startsWith("/") || name.indexOf('\\') >= 0 || ("/" + name + "/").contains("/../");
        if (name.isEmpty() || climbs || name.chars().anyMatch(Character::isISOControl)) {
            throw refused("it has an entry whose name is not allowed");
        }
    }

    /** Expands one entry, checks it, and gives as much of its beginning as is wanted. */
    private byte[] expand(ZipFile zip, ZipEntry entry, int wanted) throws IOException {
        CRC32 crc = new CRC32();
        long size = 0;
        ByteArrayOutputStream kept = new ByteArrayOutputStream(Math.min(wanted, buffer.length));
        try (InputStream in = zip.getInputStream(entry)) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                crc.update(buffer, 0, n);
                kept.write(buffer, 0, Math.min(n, wanted - kept.size()));
                size += n;
                left -= n;
                if (left < 0) {
                    throw refused("it expands to far more than its size");
                }
            }
        } catch (IOException e) {
            throw refused("its entry " + entry.getName() + " cannot be expanded: " + e.getMessage());
        }
        if (crc.getValue() != entry.getCrc() || size != entry.getSize()) {
            throw refused("its entry " + entry.getName() + " is not what its checksum says");
        }
        return kept.toByteArray();
    }

    private static AnepException refused(String why) {
        return new AnepException(ErrorCode.NOT_A_BUNDLE, "the file is no valid bundle: " + why);
    }
}
