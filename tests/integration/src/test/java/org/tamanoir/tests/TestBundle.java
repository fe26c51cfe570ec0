package org.tamanoir.tests;

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
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.tamanoir.service.ActiveService;

/** A bundle made of a service class of these tests, as a build would make it; with more entries or headers if the test says so. */
final class TestBundle {
    private final Map<String, byte[]> entries = new TreeMap<>();
    private final Map<String, String> headers = new TreeMap<>();

    /** @param level light, middle or heavy */
    TestBundle(String name, int typeId, String level, Class<? extends ActiveService> service) {
        header("Bundle-ManifestVersion", "2");
        header("Bundle-SymbolicName", "org.tamanoir.tests." + name);
        header("Bundle-Version", "1.0.0");
        header("Import-Package", "org.tamanoir.service,org.tamanoir.anep,io.netty.buffer,org.osgi.framework;resolution:=optional");
        header("Provide-Capability", "tamanoir.service;name=\"" + name + "\";type-id:Long=" + typeId + ";version:Version=\"1.0.0\";level=\""
                + level + "\"");
        header("Service-Component", "OSGI-INF/service.xml");
        component(service);
        classes(service);
    }

    /** Names the class that is made and registered as a service. */
    TestBundle component(Class<?> type) {
        return entry("OSGI-INF/service.xml", ("<scr:component xmlns:scr=\"http://www.osgi.org/xmlns/scr/v1.3.0\" name=\"" + type.getName()
                + "\"><implementation class=\"" + type.getName() + "\"/><service><provide interface=\"" + ActiveService.class.getName()
                + "\"/></service></scr:component>").getBytes(StandardCharsets.UTF_8));
    }

    TestBundle header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** Says one thing more of the service in its capability. */
    TestBundle attribute(String name, String value) {
        return header("Provide-Capability", headers.get("Provide-Capability") + ";" + name + "=\"" + value + "\"");
    }

    TestBundle entry(String path, byte[] content) {
        entries.put(path, content);
        return this;
    }

    /** Adds a class and those nested in it. */
    TestBundle classes(Class<?> type) {
        List<Class<?>> all = new ArrayList<>(List.of(type.getDeclaredClasses()));
        all.add(type);
        for (Class<?> each : all) {
            String path = each.getName().replace('.', '/') + ".class";
            try (InputStream in = each.getClassLoader().getResourceAsStream(path)) {
                entry(path, in.readAllBytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return this;
    }

    byte[] octets() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(out)) {
            Manifest manifest = new Manifest();
            manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
            headers.forEach((name, value) -> manifest.getMainAttributes().putValue(name, value));
            put(jar, JarFile.MANIFEST_NAME, manifest::write);
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                put(jar, entry.getKey(), to -> to.write(entry.getValue()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private interface Content {
        void write(OutputStream out) throws IOException;
    }

    private static void put(JarOutputStream jar, String path, Content content) throws IOException {
        ZipEntry entry = new ZipEntry(path);
        entry.setTime(0);
        jar.putNextEntry(entry);
        content.write(jar);
    }

    /** Of another version than 1.0.0. */
    TestBundle version(String version) {
        headers.computeIfPresent("Provide-Capability", (name, capability) -> capability.replaceFirst("Version=\"[^\"]*\"", "Version=\"" + version + "\""));
        return header("Bundle-Version", version);
    }

    /** With one more attribute in its capability. */
    TestBundle attribute(String text) {
        headers.computeIfPresent("Provide-Capability", (name, capability) -> capability + ";" + text);
        return this;
    }

    /** The bundle in a file of a directory. */
    Path in(Path directory) {
        try {
            return Files.write(Files.createTempFile(directory, "bundle", ".jar"), octets());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
