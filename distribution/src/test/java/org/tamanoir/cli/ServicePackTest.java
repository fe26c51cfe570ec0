package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.cli.wasm.ModuleBundle;
import org.tamanoir.repository.bundle.BundleReader;
import org.tamanoir.repository.bundle.ServiceBundle;

class ServicePackTest {
    @TempDir
    private Path directory;
    private Path module;

    @BeforeEach
    void copy() throws Exception {
        module = directory.resolve("shout.wasm");
        try (InputStream in = ServicePackTest.class.getResourceAsStream("wasm/shout.wasm")) {
            Files.copy(in, module);
        }
    }

    private Launched pack(Path jar, String... more) {
        String[] first = {"service", "pack", module.toString(), "--output", jar.toString()};
        String[] all = Arrays.copyOf(first, first.length + more.length);
        System.arraycopy(more, 0, all, first.length, more.length);
        return Launched.here(all);
    }

    @Test
    void theBundleIsOneThatARepositoryReadsAndTheSameEachTime() throws Exception {
        Path jar = directory.resolve("one.jar");
        Launched packed = pack(jar, "--name", "shout", "--type-id", "0x5501", "--version", "0.1.0", "--on-failure", "bypass", "--resume", "stateless");
        assertThat(packed.exit()).as(packed.err()).isEqualTo(ExitCode.DONE);
        assertThat(packed.out()).contains("abi: tamanoir_1", "tamanoir_1.emit(iii:i)", "memoryOctets: 65536");
        ServiceBundle bundle = BundleReader.read(jar);
        assertThat(bundle.name()).isEqualTo("shout");
        assertThat(bundle.typeId()).isEqualTo(0x5501);
        assertThat(bundle.version()).isEqualTo("0.1.0");
        assertThat(bundle.runtime()).isEqualTo("wasm");
        assertThat(bundle.onFailure()).isEqualTo("bypass");
        assertThat(bundle.resume()).isEqualTo("stateless");
        assertThat(ModuleBundle.module(jar)).isEqualTo(Files.readAllBytes(module));
        Path again = directory.resolve("again.jar");
        assertThat(pack(again, "--name", "shout", "--type-id", "0x5501", "--version", "0.1.0", "--on-failure", "bypass", "--resume", "stateless").exit()).isZero();
        assertThat(again).hasSameBinaryContentAs(jar);
    }

    @Test
    void aGuestsNameHasAGuestsTypeId() throws Exception {
        assertThat(pack(directory.resolve("a.jar"), "--name", "~cms/shout", "--type-id", "0x5801", "--version", "1.0.0").exit()).isEqualTo(ExitCode.DONE);
        Launched mixed = pack(directory.resolve("b.jar"), "--name", "~cms/shout", "--type-id", "0x5501", "--version", "1.0.0");
        assertThat(mixed.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(mixed.err()).contains("EE-656");
        assertThat(directory.resolve("b.jar")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"Shout, 0x5501, 0.1.0, EE-402", "shout, 0x1, 0.1.0, EE-402", "shout, many, 0.1.0, EE-408", "shout, 0x5501, one, EE-401"})
    void whatNoRepositoryTakesIsNotMade(String name, String typeId, String version, String code) throws Exception {
        Path jar = directory.resolve("no.jar");
        Launched refused = pack(jar, "--name", name, "--type-id", typeId, "--version", version);
        assertThat(refused.exit()).isNotZero();
        assertThat(refused.err()).contains(code);
        assertThat(directory).isDirectoryNotContaining(file -> !file.equals(module));
    }

    @Test
    void whatIsNoModuleIsRefused() throws Exception {
        Files.writeString(module, "#!/bin/sh");
        Launched refused = pack(directory.resolve("no.jar"), "--name", "shout", "--type-id", "0x5501", "--version", "0.1.0");
        assertThat(refused.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(refused.err()).contains("EE-650");
    }
}
