package org.tamanoir.benchmarks.bundle;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.tamanoir.service.ActiveService;

/**
 * One version of a service as a bundle, as a build would make it: a Declarative Services component and the capability
 * {@code tamanoir.service}. The same name, version and class give the same octets.
 *
 * @param name    of the service
 * @param typeId  0x5500 to 0x57FF: those that others write
 * @param version three numbers
 * @param level   where it runs: {@code middle} on the stream's event loop, {@code heavy} on threads of its own
 * @param service its class; it and those nested in it go into the bundle, and nothing else
 */
public record ServiceBundle(String name, int typeId, String version, String level, Class<? extends ActiveService> service) {
    private static final String COMPONENT = "OSGI-INF/service.xml";

    /** One of the level middle. */
    public ServiceBundle(String name, int typeId, String version, Class<? extends ActiveService> service) {
        this(name, typeId, version, "middle", service);
    }

    private interface Content {
        void write(OutputStream out) throws IOException;
    }

    /** Writes the bundle into a folder, as {@code NAME-VERSION.jar}. */
    public Path in(Path folder) {
        try {
            return Files.write(folder.resolve(name + "-" + version + ".jar"), octets());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    byte[] octets() {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(octets)) {
            put(jar, JarFile.MANIFEST_NAME, manifest()::write);
            put(jar, COMPONENT, out -> out.write(component().getBytes(StandardCharsets.UTF_8)));
            for (Class<?> type : classes()) {
                String path = type.getName().replace('.', '/') + ".class";
                try (InputStream in = type.getClassLoader().getResourceAsStream(path)) {
                    put(jar, path, in::transferTo);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return octets.toByteArray();
    }

    private Manifest manifest() {
        Manifest manifest = new Manifest();
        Attributes headers = manifest.getMainAttributes();
        headers.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        headers.putValue("Bundle-ManifestVersion", "2");
        headers.putValue("Bundle-SymbolicName", "org.tamanoir.benchmarks." + name);
        headers.putValue("Bundle-Version", version);
        headers.putValue("Import-Package", "org.tamanoir.service,org.tamanoir.anep,io.netty.buffer");
        headers.putValue("Provide-Capability", "tamanoir.service;name=\"" + name + "\";type-id:Long=" + typeId
                + ";version:Version=\"" + version + "\";level=\"" + level + "\"");
        headers.putValue("Service-Component", COMPONENT);
        return manifest;
    }

    private String component() {
        return "<scr:component xmlns:scr=\"http://www.osgi.org/xmlns/scr/v1.3.0\" name=\"" + name + "\"><implementation class=\""
                + service.getName() + "\"/><service><provide interface=\"" + ActiveService.class.getName()
                + "\"/></service></scr:component>";
    }

    private List<Class<?>> classes() {
        List<Class<?>> classes = new ArrayList<>(List.of(service.getDeclaredClasses()));
        classes.add(service);
        return classes;
    }

    /** An entry without a time of its own, so that equal content is an equal file. */
    private static void put(JarOutputStream jar, String path, Content content) throws IOException {
        ZipEntry entry = new ZipEntry(path);
        entry.setTime(0);
        jar.putNextEntry(entry);
        content.write(jar);
        jar.closeEntry();
    }
}
