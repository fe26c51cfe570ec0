package org.tamanoir.lab;

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
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;

/**
 * A service as a bundle, as a build would make it: a Declarative Services component and the capability {@code tamanoir.service}, with more
 * entries or headers if a test says so. The same content gives the same octets.
 */
public final class ServiceBundle {
    private static final String COMPONENT = "OSGI-INF/service.xml";
    private static final String CAPABILITY = "Provide-Capability";
    /** By name, since laboratories know nothing of services. */
    private static final String SERVICE = "org.tamanoir.service.ActiveService";

    private final String name;
    private final Map<String, byte[]> entries = new TreeMap<>();
    private final Map<String, String> headers = new TreeMap<>();

    /**
     * Version 1.0.0 of a service.
     *
     * @param typeId  0x5500 to 0x57FF: those that others write
     * @param level   where it runs: light, {@code middle} on the stream's event loop, {@code heavy} on threads of its own
     * @param service its class; it and those nested in it go into the bundle, and nothing else
     */
    public ServiceBundle(String name, int typeId, String level, Class<?> service) {
        this.name = name;
        header("Bundle-ManifestVersion", "2");
        header("Bundle-SymbolicName", "org.tamanoir.tests." + name);
        header("Bundle-Version", "1.0.0");
        header("Import-Package", "org.tamanoir.service,org.tamanoir.anep,io.netty.buffer,org.osgi.framework;resolution:=optional");
        header(CAPABILITY, "tamanoir.service;name=\"" + name + "\";type-id:Long=" + typeId + ";version:Version=\"1.0.0\";level=\"" + level + "\"");
        header("Service-Component", COMPONENT);
        component(service);
        classes(service);
    }

    private ServiceBundle(String name) {
        this.name = name;
    }

    /**
     * Version 1.0.0 of a heavy service that holds a WebAssembly module and no class.
     *
     * @param name   also one of a guest, {@code ~LABEL/NAME}
     * @param typeId 0x5500 to 0x57FF; of a guest's service 0x5800 to 0x5FFF
     * @param module in octets
     */
    public static ServiceBundle wasm(String name, int typeId, byte[] module) {
        String plain = name.replaceAll("[^a-z0-9]+", "-");
        return new ServiceBundle("wasm" + plain).header("Bundle-ManifestVersion", "2").header("Bundle-SymbolicName", "org.tamanoir.tests.wasm." + plain)
                .header("Bundle-Version", "1.0.0").header(CAPABILITY, "tamanoir.service;name=\"" + name + "\";type-id:Long=" + typeId
                        + ";version:Version=\"1.0.0\";level=\"heavy\";runtime=\"wasm\"").entry("module.wasm", module);
    }

    /** A bundle that a build has made, so that its author can publish it again under another version. */
    public static ServiceBundle of(Path jar) {
        ServiceBundle bundle = new ServiceBundle(jar.getFileName().toString().replaceFirst("\\.jar$", ""));
        try (JarFile from = new JarFile(jar.toFile())) {
            from.getManifest().getMainAttributes().forEach((header, value) -> bundle.header(header.toString(), value.toString()));
            for (JarEntry entry : from.stream().filter(each -> !each.getName().equals(JarFile.MANIFEST_NAME)).toList()) {
                try (InputStream in = from.getInputStream(entry)) {
                    bundle.entry(entry.getName(), in.readAllBytes());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bundle;
    }

    /** Names the class that is made and registered as a service. */
    public ServiceBundle component(Class<?> type) {
        return entry(COMPONENT, ("<scr:component xmlns:scr=\"http://www.osgi.org/xmlns/scr/v1.3.0\" name=\"" + type.getName()
                + "\"><implementation class=\"" + type.getName() + "\"/><service><provide interface=\"" + SERVICE
                + "\"/></service></scr:component>").getBytes(StandardCharsets.UTF_8));
    }

    public ServiceBundle header(String header, String value) {
        headers.put(header, value);
        return this;
    }

    public ServiceBundle version(String version) {
        header(CAPABILITY, headers.get(CAPABILITY).replaceFirst("version:Version=\"?[^;,\"]*\"?", "version:Version=\"" + version + "\""));
        return header("Bundle-Version", version);
    }

    /** Says one thing more of the service in its capability. @param text {@code name="value"}, or with a type: {@code name:Long=7} */
    public ServiceBundle attribute(String text) {
        return header(CAPABILITY, headers.get(CAPABILITY) + ";" + text);
    }

    public ServiceBundle entry(String path, byte[] content) {
        entries.put(path, content);
        return this;
    }

    /** Adds a class and those nested in it. */
    public ServiceBundle classes(Class<?> type) {
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

    public byte[] octets() {
        ByteArrayOutputStream octets = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(octets)) {
            Manifest manifest = new Manifest();
            manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
            headers.forEach((header, value) -> manifest.getMainAttributes().putValue(header, value));
            put(jar, JarFile.MANIFEST_NAME, manifest::write);
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                put(jar, entry.getKey(), out -> out.write(entry.getValue()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return octets.toByteArray();
    }

    private interface Content {
        void write(OutputStream out) throws IOException;
    }

    /** An entry without a time of its own, so that equal content is an equal file. */
    private static void put(JarOutputStream jar, String path, Content content) throws IOException {
        ZipEntry entry = new ZipEntry(path);
        entry.setTime(0);
        jar.putNextEntry(entry);
        content.write(jar);
        jar.closeEntry();
    }

    /** Writes it into a folder, as {@code NAME-VERSION.jar}. */
    public Path in(Path folder) {
        try {
            return Files.write(folder.resolve(name + "-" + headers.get("Bundle-Version") + ".jar"), octets());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
