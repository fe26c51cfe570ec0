package org.tamanoir.trust.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

class GuestJarTest {
    @TempDir
    private Path directory;

    private Path jar(Map<String, String> headers, String... entries) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Bundle-SymbolicName", "x");
        headers.forEach(manifest.getMainAttributes()::putValue);
        Path file = directory.resolve("guest.jar");
        try (OutputStream out = Files.newOutputStream(file); JarOutputStream jar = new JarOutputStream(out, manifest)) {
            for (String entry : entries) {
                jar.putNextEntry(new ZipEntry(entry));
            }
        }
        return file;
    }

    private static void assertRefused(Path jar, String what) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> GuestJar.check(jar)).withMessageContaining(what)
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOR_GUESTS));
    }

    @Test
    void takesAModule() throws IOException {
        Path jar = jar(Map.of("Provide-Capability", "tamanoir.service;runtime=\"wasm\""), "module.wasm", "README.md");
        assertThatCode(() -> GuestJar.check(jar)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Fragment-Host", "fragment-host", "ExtensionBundle-Activator", "Bundle-Activator", "Service-Component", "Import-Package", "Bundle-NativeCode"})
    void refusesWhatAFrameworkWouldActUpon(String header) throws IOException {
        assertRefused(jar(Map.of(header, "system.bundle;extension:=framework"), "module.wasm"), "manifest");
    }

    @ParameterizedTest
    @ValueSource(strings = {"org/example/Code.class", "Code.CLASS", "lib/inner.jar", "META-INF/versions/21/Code.class", "libx.so"})
    void refusesOtherCode(String entry) throws IOException {
        assertRefused(jar(Map.of(), "module.wasm", entry), entry);
    }
}
