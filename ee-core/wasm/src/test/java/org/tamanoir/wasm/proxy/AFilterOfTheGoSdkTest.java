package org.tamanoir.wasm.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** A filter on the Go SDK of proxy-wasm, built as its guide says, does here what it did in the SDK's own emulator of a host. */
@Tag("sweep")
class AFilterOfTheGoSdkTest {
    private static final String USUALLY = "/usr/local/go/bin/go";

    @TempDir
    private Path directory;

    static boolean hasGo() {
        return new File(USUALLY).canExecute() || Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Path.of(folder, "go").toFile().canExecute());
    }

    /** Runs Go in the folder of the filter. */
    private void go(Map<String, String> environment, String... arguments) throws Exception {
        File log = directory.resolve("log").toFile();
        List<String> command = new ArrayList<>(List.of("go"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(new File("src/test/filters/go")).redirectErrorStream(true).redirectOutput(log);
        builder.environment().putAll(environment);
        // The first word of a command is looked for where this process does.
        if (new File(USUALLY).canExecute()) {
            command.set(0, USUALLY);
        }
        Process process = builder.start();
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(log.toPath())).isZero();
    }

    @Test
    @EnabledIf(value = "hasGo", disabledReason = "there is no Go 1.24 here")
    void isCalledAndAnsweredAsInTheEmulatorOfItsSdk() throws Exception {
        Path module = directory.resolve("tell.wasm");
        go(Map.of("GOOS", "wasip1", "GOARCH", "wasm"), "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", module.toString(), ".");
        try (TestFilter filter = TestFilter.of(Files.readAllBytes(module), Map.of("configuration", "loud"), TestFilter.LIMITS)) {
            assertThat(RecordedHostTest.record(filter)).isEqualTo(new String(TestFilter.module("recording.txt"), UTF_8));
        }
    }

    @Test
    @EnabledIf(value = "hasGo", disabledReason = "there is no Go 1.24 here")
    void theRecordingIsWhatTheEmulatorSaysToday() throws Exception {
        go(Map.of(), "test", "-count=1", "./...");
    }
}
