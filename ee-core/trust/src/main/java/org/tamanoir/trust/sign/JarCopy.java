package org.tamanoir.trust.sign;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.tamanoir.trust.jar.SignedJar;

/** Packs the entries of a jar again. */
final class JarCopy {
    /** The earliest that a zip archive can say: what an entry has that had no time of its own. */
    private static final LocalDateTime EPOCH = LocalDateTime.of(1980, 1, 1, 0, 0);

    private JarCopy() {
    }

    /** Leaves out the signatures, and directories that are of no entry, which a signature would not cover. */
    static void withoutSignatures(Path from, Path to) throws IOException {
        Set<String> parents = new HashSet<>();
        try (ZipFile zip = new ZipFile(from.toFile())) {
            zip.stream().map(ZipEntry::getName).filter(name -> !name.endsWith("/")).forEach(name -> {
                for (int slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1)) {
                    parents.add(name.substring(0, slash + 1));
                }
            });
        }
        copy(from, to, name -> name.endsWith("/") ? parents.contains(name) : !SignedJar.isSignature(name), Map.of());
    }

    /** Gives every entry the time that it had in another jar; those that are new there get the time of its manifest. */
    static void withTimesOf(Path from, Path to, Path other) throws IOException {
        Map<String, LocalDateTime> times = new HashMap<>();
        try (ZipFile zip = new ZipFile(other.toFile())) {
            zip.stream().forEach(entry -> times.put(entry.getName(), entry.getTimeLocal()));
        }
        times.putIfAbsent(JarFile.MANIFEST_NAME, EPOCH);
        copy(from, to, name -> true, times);
    }

    private static void copy(Path from, Path to, Predicate<String> wanted, Map<String, LocalDateTime> times) throws IOException {
        try (ZipFile zip = new ZipFile(from.toFile()); OutputStream file = new BufferedOutputStream(Files.newOutputStream(to));
                ZipOutputStream out = new ZipOutputStream(file)) {
            for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements();) {
                ZipEntry entry = entries.nextElement();
                if (wanted.test(entry.getName())) {
                    ZipEntry copy = new ZipEntry(entry.getName());
                    LocalDateTime time = times.isEmpty() ? entry.getTimeLocal()
                            : times.getOrDefault(entry.getName(), times.get(JarFile.MANIFEST_NAME));
                    copy.setTimeLocal(time);
                    out.putNextEntry(copy);
                    try (InputStream in = zip.getInputStream(entry)) {
                        in.transferTo(out);
                    }
                    out.closeEntry();
                }
            }
        }
    }
}
