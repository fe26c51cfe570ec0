package org.tamanoir.wasm.module;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.wasm.testing.HostileModules;
import org.tamanoir.wasm.testing.ModuleWriter;
import org.tamanoir.wasm.testing.ModuleWriter.Code;

/** What a module is can be told without running it, and nothing in it is believed. */
class ModuleReaderTest {
    private static final Code DONE = new Code().i32(0);

    private static void refused(byte[] module, ErrorCode code, String why) {
        assertThatThrownBy(() -> WasmModule.read(module)).isInstanceOfSatisfying(AnepException.class, e -> assertThat(e.code()).isEqualTo(code)).hasMessageContaining(why);
    }

    /** A section behind the header, by itself. */
    private static byte[] section(int id, Code content) {
        return new Code().octets(0, 'a', 's', 'm', 1, 0, 0, 0).octets(id).number(content.size()).append(content).toBytes();
    }

    @Test
    void itSaysWhatAModuleImportsAndExports() {
        ModuleWriter writer = new ModuleWriter().memory(3, 5);
        writer.importFunction("tamanoir_1", "emit", "iii:i");
        writer.importFunction("wasi_snapshot_preview1", "proc_exit", "i:");
        byte[] octets = writer.serviceOf(DONE).toBytes();
        WasmModule module = WasmModule.read(octets);
        assertThat(module.abi()).isEqualTo(Abi.TAMANOIR_1);
        assertThat(module.imports()).extracting(Import::toString).containsExactly("tamanoir_1.emit(iii:i)", "wasi_snapshot_preview1.proc_exit(i:)");
        assertThat(module.exports()).containsOnlyKeys("tamanoir_buffer", "tamanoir_run").containsEntry("tamanoir_run", Signature.of("iii:i"));
        assertThat(module.functions()).isEqualTo(2);
        assertThat(module.pages()).isEqualTo(3);
        assertThat(module.octets()).isEqualTo(octets);
        assertThat(module.sha256()).hasSize(64).isEqualTo(WasmModule.read(octets).sha256());
    }

    @Test
    void itIsAnEntryOfABundleOfWhichNoMoreIsReadThanNeedsToBe(@TempDir Path directory) throws IOException {
        Path bundle = directory.resolve("bundle.jar");
        for (String entry : List.of(WasmModule.ENTRY, "other.wasm")) {
            try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(bundle))) {
                zip.putNextEntry(new ZipEntry(entry));
                zip.write(new byte[] {1, 2, 3, 4, 5});
            }
            assertThat(WasmModule.inBundle(bundle, 5)).isEqualTo(entry.equals(WasmModule.ENTRY) ? new byte[] {1, 2, 3, 4, 5} : null);
            assertThat(WasmModule.inBundle(bundle, 3)).isEqualTo(entry.equals(WasmModule.ENTRY) ? new byte[] {1, 2, 3, 4} : null);
        }
    }

    @ParameterizedTest
    @CsvSource({"env, memory_of, i:i", "tamanoir_1, emit, ii:i", "tamanoir_1, open, :i", "wasi_snapshot_preview1, path_execute, i:i", "wasi_snapshot_preview1, fd_write, iiii:",
        "wasi_snapshot_preview1, proc_exit, i:i", "tamanoir_2, emit, iii:i"})
    void whatNoNodeGrantsIsRefused(String module, String name, String signature) {
        ModuleWriter writer = new ModuleWriter();
        writer.importFunction(module, name, signature);
        refused(writer.serviceOf(DONE).toBytes(), ErrorCode.MODULE_OUTSIDE_CONTRACT, name);
    }

    @Test
    void whatNoNodeCanCallIsRefused() {
        refused(new ModuleWriter().toBytes(), ErrorCode.MODULE_OUTSIDE_CONTRACT, "tamanoir_run");
        ModuleWriter two = ModuleWriter.service(DONE);
        refused(two.export("proxy_abi_version_0_2_1", two.function(":", "", new Code())).toBytes(), ErrorCode.MODULE_OUTSIDE_CONTRACT, "several");
        ModuleWriter none = new ModuleWriter();
        refused(none.export("tamanoir_run", none.function("iii:i", "", DONE)).toBytes(), ErrorCode.MODULE_OUTSIDE_CONTRACT, "tamanoir_buffer");
        ModuleWriter wrong = ModuleWriter.service(DONE);
        refused(wrong.export("tamanoir_close", wrong.function("i:", "", new Code())).toBytes(), ErrorCode.MODULE_OUTSIDE_CONTRACT, "tamanoir_close");
    }

    @Test
    void whatIsTooLargeIsRefused() {
        refused(new ModuleWriter().memory(257, 300).serviceOf(DONE).toBytes(), ErrorCode.MODULE_TOO_LARGE, "257 pages");
        refused(new ModuleWriter().table(65_537, 70_000).serviceOf(DONE).toBytes(), ErrorCode.MODULE_TOO_LARGE, "65537 entries");
        WasmModule.read(new ModuleWriter().memory(256, 300).table(65_536, 70_000).serviceOf(DONE).toBytes());
        byte[] two = ModuleWriter.service(DONE).toBytes();
        WasmLimits one = new WasmLimits(1 << 20, 1, 1, WasmLimits.PRESET.callTime(), WasmLimits.PRESET.startTime(), 1, 1, 1, 1, WasmLimits.PRESET.compileTime(), 64);
        assertThatThrownBy(() -> WasmModule.read(two, one)).hasMessageContaining("2 functions");
        WasmLimits few = new WasmLimits(two.length - 1, 2, 1, WasmLimits.PRESET.callTime(), WasmLimits.PRESET.startTime(), 1, 1, 1, 1, WasmLimits.PRESET.compileTime(), 64);
        assertThatThrownBy(() -> WasmModule.read(two, few)).hasMessageContaining(two.length + " octets");
        ModuleWriter locals = ModuleWriter.service(DONE);
        locals.rawFunction(":", new Code().number(2).number(10_000).octets(0x7F).number(10_001).octets(0x7E, 0x0B).toBytes());
        refused(locals.toBytes(), ErrorCode.MODULE_TOO_LARGE, "20001 local variables");
    }

    @ParameterizedTest
    @CsvSource({"13, 0, exceptions", "1, 95, collector", "4, 107, tables"})
    void whatTheCompilerDoesNotTakeIsRefused(int section, int kind, String what) {
        refused(section(section, new Code().number(1).octets(kind, 0, 0, 0)), ErrorCode.NOT_COMPILED, what);
        refused(section(5, new Code().number(2).octets(0, 1, 0, 1)), ErrorCode.NOT_COMPILED, "several memories");
        refused(section(5, new Code().number(1).octets(3, 1, 2)), ErrorCode.NOT_COMPILED, "shared");
    }

    @Test
    void whatIsMalformedIsNoModule() {
        UnaryOperator<byte[]> wrongVersion = octets -> {
            byte[] changed = octets.clone();
            changed[4] = 2;
            return changed;
        };
        refused(wrongVersion.apply(ModuleWriter.service(DONE).toBytes()), ErrorCode.NO_MODULE, "version 1");
        refused(new byte[0], ErrorCode.NO_MODULE, "octet 0");
        refused(section(14, new Code()), ErrorCode.NO_MODULE, "section 14");
        refused(section(1, new Code().number(1_000_000)), ErrorCode.NO_MODULE, "1000000 entries");
        refused(section(1, new Code().number(0).octets(9)), ErrorCode.NO_MODULE, "longer");
        refused(section(3, new Code().number(1).number(0)), ErrorCode.NO_MODULE, "no type 0");
        refused(section(2, new Code().octets(0x80, 0x80, 0x80, 0x80, 0x80, 1)), ErrorCode.NO_MODULE, "too long");
        refused(section(5, new Code().number(1).octets(1, 5, 2)), ErrorCode.NO_MODULE, "larger");
        refused(section(2, new Code().number(1).number(2).octets(0xC3, 0x28, 0, 0, 0)), ErrorCode.NO_MODULE, "UTF-8");
        byte[] once = section(5, new Code().number(0));
        byte[] twice = Arrays.copyOf(once, once.length + 3);
        System.arraycopy(once, 8, twice, once.length, 3);
        refused(twice, ErrorCode.NO_MODULE, "wrong place");
    }

    @Test
    void sectionsThatAreNotChangedStayAsTheyAre() {
        byte[] module = HostileModules.harmless();
        assertThat(Sections.rewrite(module, (id, content) -> content)).isEqualTo(module);
        byte[] without = Sections.rewrite(module, (id, content) -> id == Sections.DATA ? null : content);
        assertThat(without).hasSize(module.length - 12);
        WasmModule.read(without);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 63, 64, -1, -64, -65, 127, 128, 8191, -8192, 1L << 31, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE})
    void numbersAreWrittenAsTheyAreRead(long number) {
        ByteArrayOutputStream signed = new ByteArrayOutputStream();
        Sections.signed(number, signed);
        assertThat(signed.toByteArray()).isEqualTo(new Code().signed(number).toBytes());
        assertThat(signed(signed.toByteArray())).isEqualTo(number);
        ByteArrayOutputStream unsigned = new ByteArrayOutputStream();
        Sections.unsigned((int) number, unsigned);
        assertThat(unsigned.toByteArray()).isEqualTo(new Code().number(number & 0xFFFF_FFFFL).toBytes());
        assertThat(Sections.count(unsigned.toByteArray())).isEqualTo((int) number);
    }

    private static long signed(byte[] octets) {
        long value = 0;
        int shift = 0;
        for (byte octet : octets) {
            value |= (octet & 0x7FL) << shift;
            shift += 7;
        }
        return shift < Long.SIZE ? value << Long.SIZE - shift >> Long.SIZE - shift : value;
    }
}
