package org.tamanoir.wasm.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** A filter on the Go SDK of proxy-wasm, built as its guide says, does here what it did in the SDK's own emulator of a host. */
@Tag("sweep")
class AFilterOfTheGoSdkTest {
    @TempDir
    private Path directory;

    static boolean hasGo() {
        return Path.of("/usr/local/go/bin/go").toFile().canExecute() || Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Path.of(folder, "go").toFile().canExecute());
    }

    @Test
    @EnabledIf(value = "hasGo", disabledReason = "there is no Go 1.24 here")
    void isCalledAndAnsweredAsInTheEmulatorOfItsSdk() throws Exception {
        Path module = directory.resolve("tell.wasm");
        File log = directory.resolve("log").toFile();
        ProcessBuilder build = new ProcessBuilder("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", module.toString(), ".")
                .directory(new File("src/test/filters/go")).redirectErrorStream(true).redirectOutput(log);
        build.environment().putAll(Map.of("GOOS", "wasip1", "GOARCH", "wasm"));
        build.environment().merge("PATH", "/usr/local/go/bin", (before, more) -> before + File.pathSeparator + more);
        Process process = build.start();
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(log.toPath())).isZero();
        try (TestFilter filter = TestFilter.of(Files.readAllBytes(module), Map.of("configuration", "loud"), TestFilter.LIMITS)) {
            assertThat(RecordedHostTest.record(filter)).isEqualTo(new String(TestFilter.module("recording.txt"), UTF_8));
        }
    }
}
