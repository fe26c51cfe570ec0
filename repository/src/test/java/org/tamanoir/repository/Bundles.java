package org.tamanoir.repository;

import aQute.bnd.osgi.Builder;
import aQute.bnd.osgi.EmbeddedResource;
import aQute.bnd.osgi.Jar;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;

/** Bundles, good and bad, made in memory. */
final class Bundles {
    static final String CAPABILITY = "tamanoir.service;name=\"%s\";type-id:Long=%d;version:Version=\"%s\";level=\"middle\"";

    private Bundles() {
    }

    static String capability(String name, int typeId, String version) {
        return String.format(CAPABILITY, name, typeId, version);
    }

    /** As an author would build it. */
    static byte[] good(String name, int typeId, String version, byte[] payload) {
        try (Builder builder = new Builder(); ByteArrayOutputStream out = new ByteArrayOutputStream()) {
            builder.setBundleSymbolicName("org.example." + name);
            builder.setBundleVersion(version);
            builder.setProperty("Provide-Capability", capability(name, typeId, version));
            builder.setProperty("Import-Package", "org.tamanoir.service;version=\"[1,2)\"");
            builder.setProperty("-reproducible", "true");
            builder.setProperty("-resourceonly", "true");
            Jar jar = new Jar("dot");
            builder.setJar(jar);
            jar.putResource("payload", new EmbeddedResource(payload, 0L));
            builder.build().write(out);
            return out.toByteArray();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static byte[] good(String name, int typeId, String version) {
        return good(name, typeId, version, (name + version).getBytes(StandardCharsets.UTF_8));
    }

    /** The headers of a good bundle, to be spoilt. */
    static Map<String, String> headers(String name, int typeId, String version) {
        Map<String, String> headers = new TreeMap<>();
        headers.put("Bundle-ManifestVersion", "2");
        headers.put("Bundle-SymbolicName", "org.example." + name);
        headers.put("Bundle-Version", version);
        headers.put("Provide-Capability", capability(name, typeId, version));
        return headers;
    }

    /** A jar with these headers and one more entry; a null header is left out. */
    static byte[] jar(Map<String, String> headers, String entry, byte[] content) {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        headers.forEach((name, value) -> manifest.getMainAttributes().putValue(name, value));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(out)) {
            jar.putNextEntry(new ZipEntry(JarFile.MANIFEST_NAME));
            manifest.write(jar);
            jar.putNextEntry(new ZipEntry(entry));
            jar.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    static byte[] jar(Map<String, String> headers) {
        return jar(headers, "x", new byte[] {1});
    }
}
