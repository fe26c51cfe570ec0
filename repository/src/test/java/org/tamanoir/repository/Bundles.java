package org.tamanoir.repository;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
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
    static final String COMPONENT = "OSGI-INF/sample.xml";
    static final String CLASS = SampleService.class.getName().replace('.', '/') + ".class";

    /** A module that passes every packet: memory, {@code tamanoir_buffer} that gives 8, {@code tamanoir_run} that gives 0. */
    private static final String MODULE = "0061736d01000000010d0260017f017f60037f7f7f017f03030200010503010002072b03066d656d6f727902000f74616d616e6f69725f"
            + "62756666657200000c74616d616e6f69725f72756e00010a0b02040041080b040041000b"
            + "";

    private Bundles() {
    }

    static String capability(String name, int typeId, String version) {
        return String.format(CAPABILITY, name, typeId, version);
    }

    /** With the headers that bnd writes. The same arguments give the same octets. */
    static byte[] good(String name, int typeId, String version, byte[] payload) {
        return jar(headers(name, typeId, version), "payload", payload);
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
        headers.put("Import-Package", "java.lang,org.tamanoir.service;version=\"[1,2)\"");
        headers.put("Provide-Capability", capability(name, typeId, version));
        headers.put("Require-Capability", "osgi.extender;filter:=\"(&(osgi.extender=osgi.component)(version>=1.5.0)(!(version>=2.0.0)))\","
                + "osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=17))\"");
        headers.put("Service-Component", COMPONENT);
        return headers;
    }

    /** One that holds a WebAssembly module and no class. The same arguments give the same octets. */
    static byte[] wasm(String name, int typeId, String version, byte[] more) {
        return jar(wasmHeaders(name, typeId, version), wasmEntries(more));
    }

    static byte[] wasm(String name, int typeId, String version) {
        return wasm(name, typeId, version, (name + version).getBytes(StandardCharsets.UTF_8));
    }

    /** The headers of such a bundle, to be spoilt. */
    static Map<String, String> wasmHeaders(String name, int typeId, String version) {
        Map<String, String> headers = new TreeMap<>();
        headers.put("Bundle-ManifestVersion", "2");
        headers.put("Bundle-SymbolicName", "org.example." + name.replaceAll("[^a-z0-9]", "-"));
        headers.put("Bundle-Version", version);
        headers.put("Provide-Capability", capability(name, typeId, version).replace("middle", "heavy") + ";runtime=\"wasm\"");
        return headers;
    }

    private static Map<String, byte[]> wasmEntries(byte[] more) {
        Map<String, byte[]> entries = new TreeMap<>();
        entries.put("module.wasm", HexFormat.of().parseHex(MODULE));
        entries.put("more", more);
        return entries;
    }

    /** What the component of every bundle is described by. */
    static String component() {
        return "<scr:component xmlns:scr=\"http://www.osgi.org/xmlns/scr/v1.3.0\" name=\"sample\"><service><provide interface=\""
                + "org.tamanoir.service.ActiveService\"/></service><implementation class=\"" + SampleService.class.getName()
                + "\"/></scr:component>";
    }

    /** A jar with a component, these headers and one more entry. */
    static byte[] jar(Map<String, String> headers, String entry, byte[] content) {
        Map<String, byte[]> entries = entries();
        entries.put(entry, content);
        return jar(headers, entries);
    }

    static byte[] jar(Map<String, String> headers) {
        return jar(headers, entries());
    }

    /** The entries of a good bundle, to be spoilt. */
    static Map<String, byte[]> entries() {
        Map<String, byte[]> entries = new TreeMap<>();
        entries.put(COMPONENT, component().getBytes(StandardCharsets.UTF_8));
        entries.put(CLASS, classFile());
        return entries;
    }

    static byte[] classFile() {
        try (InputStream in = SampleService.class.getResourceAsStream("/" + CLASS)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static byte[] jar(Map<String, String> headers, Map<String, byte[]> entries) {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        headers.forEach((name, value) -> manifest.getMainAttributes().putValue(name, value));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(out)) {
            jar.putNextEntry(entry(JarFile.MANIFEST_NAME));
            manifest.write(jar);
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                jar.putNextEntry(entry(entry.getKey()));
                jar.write(entry.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static ZipEntry entry(String name) {
        ZipEntry entry = new ZipEntry(name);
        entry.setTime(0);
        return entry;
    }
}
