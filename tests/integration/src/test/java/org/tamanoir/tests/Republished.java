package org.tamanoir.tests;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** A bundle of this project as its author would publish it next: the same under another version. */
final class Republished {
    private Republished() {
    }

    static Path of(Path jar, String version, Path directory) throws IOException {
        Path next = directory.resolve("next-" + jar.getFileName());
        try (JarFile from = new JarFile(jar.toFile())) {
            Manifest manifest = from.getManifest();
            manifest.getMainAttributes().putValue("Bundle-Version", version);
            manifest.getMainAttributes().putValue("Provide-Capability", manifest.getMainAttributes().getValue("Provide-Capability")
                    .replaceFirst("version:Version=\"?[^;,\"]*\"?", "version:Version=\"" + version + "\""));
            try (JarOutputStream to = new JarOutputStream(Files.newOutputStream(next), manifest)) {
                for (JarEntry entry : from.stream().filter(each -> !each.getName().equals(JarFile.MANIFEST_NAME)).toList()) {
                    to.putNextEntry(new JarEntry(entry.getName()));
                    try (InputStream in = from.getInputStream(entry)) {
                        in.transferTo(to);
                    }
                    to.closeEntry();
                }
            }
        }
        return next;
    }
}
