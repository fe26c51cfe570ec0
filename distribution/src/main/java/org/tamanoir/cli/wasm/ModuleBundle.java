package org.tamanoir.cli.wasm;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.tamanoir.wasm.module.WasmLimits;
import org.tamanoir.wasm.module.WasmModule;

/**
 * The bundle of a module: a manifest and {@code module.wasm}. The same module and the same words give the same octets.
 *
 * @param name    of the service
 * @param typeId  its Type ID
 * @param version of it and of the bundle
 * @param more    further attributes of the capability, such as {@code on-failure}
 */
public record ModuleBundle(String name, int typeId, String version, Map<String, String> more) {
    /** The first that a zip file can say. */
    private static final LocalDateTime TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

    /** Writes the bundle. */
    public void write(byte[] module, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar); ZipOutputStream zip = new ZipOutputStream(file)) {
            zip.putNextEntry(entry(JarFile.MANIFEST_NAME));
            manifest().write(zip);
            zip.putNextEntry(entry(WasmModule.ENTRY));
            zip.write(module);
        }
    }

    private static ZipEntry entry(String name) {
        ZipEntry entry = new ZipEntry(name);
        entry.setTimeLocal(TIME);
        return entry;
    }

    private Manifest manifest() {
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.putValue("Bundle-ManifestVersion", "2");
        main.putValue("Bundle-SymbolicName", "module." + name.replaceAll("[^A-Za-z0-9_-]", "-"));
        main.putValue("Bundle-Version", version);
        StringBuilder capability = new StringBuilder("tamanoir.service;name=\"" + name + "\";type-id:Long=" + typeId + ";version:Version=\"" + version
                + "\";level=\"heavy\";runtime=\"wasm\"");
        new TreeMap<>(more).forEach((key, value) -> capability.append(';').append(key).append("=\"").append(value).append('"'));
        main.putValue("Provide-Capability", capability.toString());
        return manifest;
    }

    /**
     * The module in a file, which is one itself or the bundle of one.
     *
     * @throws IOException if it cannot be read, or is a bundle without a module
     */
    public static byte[] module(Path file) throws IOException {
        byte[] octets = Files.readAllBytes(file);
        if (octets.length < 2 || octets[0] != 'P' || octets[1] != 'K') {
            return octets;
        }
        byte[] module = WasmModule.inBundle(file, WasmLimits.PRESET.moduleOctets());
        if (module == null) {
            throw new IOException("it has no entry " + WasmModule.ENTRY);
        }
        return module;
    }
}
