package org.tamanoir.trust;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.tamanoir.trust.sign.BundleSigner;

/** Bundles for tests, and what strangers do to them. */
final class Jars {
    static final String MANIFEST = "META-INF/MANIFEST.MF";
    static final String CODE = "org/example/Code.class";
    static final String HELP = "org/example/help.txt";

    private Jars() {
    }

    /** As a build would make it: manifest first, then directories and entries. */
    static Path unsigned(Path directory) {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        entries.put(MANIFEST, text("Manifest-Version: 1.0\r\nBundle-SymbolicName: org.example.code\r\nBundle-Version: 1.0.0\r\n\r\n"));
        entries.put("org/", new byte[0]);
        entries.put("org/example/", new byte[0]);
        entries.put(CODE, text("code that does something ".repeat(40)));
        entries.put(HELP, text("help"));
        return write(directory.resolve("bundle.jar"), entries);
    }

    static Path signed(Path directory, String key) {
        Path jar = unsigned(directory);
        new BundleSigner(Keys.key(key)).sign(jar, jar);
        return jar;
    }

    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static Map<String, byte[]> read(Path jar) {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            Map<String, byte[]> entries = new LinkedHashMap<>();
            for (ZipEntry entry : zip.stream().toList()) {
                entries.put(entry.getName(), zip.getInputStream(entry).readAllBytes());
            }
            return entries;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Path write(Path jar, Map<String, byte[]> entries) {
        return write(jar, entries, Deflater.DEFAULT_COMPRESSION);
    }

    /** @param level of compression: another one makes another file of the same entries */
    static Path write(Path jar, Map<String, byte[]> entries, int level) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.setLevel(level);
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return write(jar, out.toByteArray());
    }

    static Path write(Path file, byte[] octets) {
        try {
            return Files.write(file, octets);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Changes the entries of a jar in place; each is packed again. */
    static Path edit(Path jar, Consumer<Map<String, byte[]>> change) {
        Map<String, byte[]> entries = read(jar);
        change.accept(entries);
        return write(jar, entries);
    }

    /** Entries in another order: the named one first. */
    static Path first(Path jar, String name, byte[] content) {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        entries.put(name, content);
        Map<String, byte[]> others = read(jar);
        others.remove(name);
        entries.putAll(others);
        return write(jar, entries);
    }

    static byte[] replace(byte[] octets, String from, String to) {
        String text = new String(octets, StandardCharsets.ISO_8859_1);
        if (!text.contains(from)) {
            throw new IllegalArgumentException(from);
        }
        return text.replace(from, to).getBytes(StandardCharsets.ISO_8859_1);
    }

    static String sha256(Path file) {
        try {
            return sha256(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String sha256(byte[] octets) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(octets));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static Path trustFile(Path directory, String... names) {
        return write(directory.resolve("publishers.pem"), text(Keys.pem(names)));
    }

    /** The signature block and the signature file of a jar that our signer signed. */
    static List<String> signature(Path jar) {
        return read(jar).keySet().stream().filter(name -> name.startsWith("META-INF/TAMANOIR.")).toList();
    }
}
