package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.repository.bundle.BundleReader;

/** What {@code tamanoir service new --wasm} makes builds, does what its README says, and becomes a bundle that a repository reads. */
@Tag("long")
class AModuleOfEachLanguageTest {
    @TempDir
    private Path directory;

    static boolean hasGo() {
        return isThere("/usr/local/go/bin/go", "go");
    }

    static boolean hasNpm() {
        return isThere("/usr/bin/npm", "npm");
    }

    private static boolean isThere(String usually, String program) {
        return new File(usually).canExecute() || Arrays.stream(System.getenv("PATH").split(File.pathSeparator)).anyMatch(folder -> Path.of(folder, program).toFile().canExecute());
    }

    /** The program as authors call it, for make and npm. */
    private Path program() throws IOException {
        String command = CommandLineTool.command("@").stream().map(word -> word.equals("@") ? "\"$@\"" : "'" + word + "'").collect(Collectors.joining(" "));
        Path bin = Files.createDirectories(directory.resolve("bin"));
        Path program = Files.writeString(bin.resolve("tamanoir"), "#!/bin/sh\nexec " + command + "\n");
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private void builds(String language, List<List<String>> commands) throws Exception {
        CommandLineTool.run("service", "new", "shout", "--wasm", language, "--directory", directory.toString(), "--type-id", "0x5501");
        Path folder = directory.resolve("shout");
        Path bin = program().getParent();
        for (List<String> command : commands) {
            File log = directory.resolve("log").toFile();
            ProcessBuilder build = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).redirectOutput(log);
            build.environment().put("PATH", bin + ":" + System.getenv("PATH") + ":/usr/local/go/bin");
            build.environment().put("XDG_CACHE_HOME", directory.resolve("cache").toString());
            Process process = build.start();
            try {
                assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("%s within 5 minutes", command).isTrue();
                assertThat(process.exitValue()).as("%s: %s", command, Files.readString(log.toPath())).isZero();
            } finally {
                process.destroyForcibly();
            }
        }
        assertThat(BundleReader.read(folder.resolve("shout-0.1.0.jar")).runtime()).isEqualTo("wasm");
    }

    @Test
    void inC() throws Exception {
        builds("c", List.of(List.of("make", "test"), List.of("make")));
    }

    @Test
    @Tag("sweep")
    @EnabledIf(value = "hasGo", disabledReason = "there is no Go 1.24 here")
    void inGo() throws Exception {
        builds("go", List.of(List.of("make", "test"), List.of("make")));
    }

    @Test
    @Tag("sweep")
    @EnabledIf(value = "hasNpm", disabledReason = "there is no npm here")
    void inAssemblyScript() throws Exception {
        builds("assemblyscript", List.of(List.of("npm", "install"), List.of("npm", "test"), List.of("npm", "run", "pack")));
    }
}
