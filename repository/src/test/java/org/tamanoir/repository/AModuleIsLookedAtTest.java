package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.repository.bundle.BundleReader;
import org.tamanoir.repository.bundle.ServiceBundle;

/** The gate for bundles that hold a WebAssembly module. */
class AModuleIsLookedAtTest {
    private static final int ID = 0x5502;
    /** Passes every packet; as in {@link Bundles}. */
    private static final String MODULE = "0061736d01000000010d0260017f017f60037f7f7f017f03030200010503010002072b03066d656d6f727902000f74616d616e6f69725f"
            + "62756666657200000c74616d616e6f69725f72756e00010a0b02040041080b040041000b";

    @TempDir
    private Path directory;

    private ServiceBundle read(Map<String, String> headers, Map<String, byte[]> entries) throws IOException {
        return BundleReader.read(Files.write(directory.resolve("bundle.jar"), Bundles.jar(headers, entries)));
    }

    private static byte[] module() {
        return HexFormat.of().parseHex(MODULE);
    }

    private static Map<String, byte[]> entries(byte[] module) {
        Map<String, byte[]> entries = new TreeMap<>();
        entries.put("module.wasm", module);
        return entries;
    }

    private void refused(ErrorCode code, String message, Map<String, String> headers, Map<String, byte[]> entries) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> read(headers, entries)).withMessageContaining(message)
                .satisfies(e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void aModuleThatKeepsAContractIsTaken() throws Exception {
        ServiceBundle bundle = read(Bundles.wasmHeaders("filter", ID, "1.0.0"), entries(module()));
        assertThat(bundle.runtime()).isEqualTo("wasm");
        assertThat(bundle.level()).isEqualTo("heavy");
        assertThat(BundleReader.runtime(bundle.manifest())).isEqualTo("wasm");
    }

    @ParameterizedTest
    @CsvSource({"Import-Package, org.tamanoir.service", "Bundle-Activator, org.example.Trap", "Service-Component, OSGI-INF/service.xml", "Export-Package, org.example",
        "Bundle-NativeCode, libtrap.so"})
    void whatIsOfJavaIsRefused(String header, String value) {
        Map<String, String> headers = Bundles.wasmHeaders("filter", ID, "1.0.0");
        headers.put(header, value);
        refused(ErrorCode.UNRESOLVABLE, header + " is for services in Java", headers, entries(module()));
    }

    @ParameterizedTest
    @CsvSource({"org/example/Trap.class, is a class file", "lib/trap.jar, is a jar"})
    void codeOfJavaIsRefused(String entry, String message) {
        Map<String, byte[]> entries = entries(module());
        entries.put(entry, new byte[] {(byte) 0xCA, (byte) 0xFE, (byte) 0xBA, (byte) 0xBE, 0, 0, 0, 61});
        refused(ErrorCode.UNRESOLVABLE, message, Bundles.wasmHeaders("filter", ID, "1.0.0"), entries);
    }

    @Test
    void aModuleIsHeavyAndThere() {
        Map<String, String> headers = Bundles.wasmHeaders("filter", ID, "1.0.0");
        headers.put("Provide-Capability", headers.get("Provide-Capability").replace("heavy", "light"));
        refused(ErrorCode.UNRESOLVABLE, "modules are heavy", headers, entries(module()));
        refused(ErrorCode.UNRESOLVABLE, "no entry module.wasm", Bundles.wasmHeaders("filter", ID, "1.0.0"), new TreeMap<>());
    }

    @Test
    void whatIsNoModuleIsRefusedWithItsCode() {
        Map<String, String> headers = Bundles.wasmHeaders("filter", ID, "1.0.0");
        refused(ErrorCode.NO_MODULE, "no WebAssembly module", headers, entries("hello".getBytes(StandardCharsets.US_ASCII)));
        refused(ErrorCode.NO_MODULE, "no WebAssembly module", headers, entries(Arrays.copyOf(module(), 60)));
        byte[] nameless = module();
        nameless[new String(nameless, StandardCharsets.ISO_8859_1).indexOf("tamanoir_run")] = 'T';
        refused(ErrorCode.MODULE_OUTSIDE_CONTRACT, "tamanoir_run", headers, entries(nameless));
        refused(ErrorCode.MODULE_TOO_LARGE, "may have", headers, entries(Arrays.copyOf(module(), (8 << 20) + 1)));
    }
}
