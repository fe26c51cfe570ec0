package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;

/** The server as its operator runs it: in a process of its own. */
class RepositoryCommandTest {
    @TempDir
    private Path directory;

    private Process start(String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), Tamanoir.class.getName(), "repository", "run", "--listen", "127.0.0.1:0"));
        command.addAll(List.of(more));
        return new ProcessBuilder(command).redirectError(directory.resolve("err").toFile()).start();
    }

    @Test
    void saysReadyOnceServesAndStopsInOrderWhenAsked() throws Exception {
        Process process = start("--data", directory.resolve("data").toString());
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String ready = out.readLine();
            assertThat(ready).matches("READY repository http://127\\.0\\.0\\.1:\\d+");
            String url = ready.substring("READY repository ".length());
            assertThat(URI.create(url).getPort()).isPositive();
            assertThat(HttpFetch.of(url, ErrorCode.REPOSITORY_UNREACHABLE).json("/health").path("status").asText()).isEqualTo("up");

            Process second = start("--data", directory.resolve("data").toString());
            assertThat(second.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(second.exitValue()).isEqualTo(Exit.FAILED);
            assertThat(Files.readString(directory.resolve("err"))).contains("EE-503").doesNotContain("\tat ");

            // SIGTERM.
            process.toHandle().destroy();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(Exit.DONE);
            assertThat(out.readLine()).isNull();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aFileInPlaceOfTheDataDirectoryIsSaidInPlainWords() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "data");
        for (Path data : List.of(file, file.resolve("below"))) {
            Process process = start("--data", data.toString());
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(Exit.FAILED);
            assertThat(Files.readString(directory.resolve("err"))).startsWith("EE-503").containsIgnoringCase("no").contains(data.toString())
                    .contains("director").doesNotContain("Exception");
        }
        assertThat(file).hasContent("data");
    }

    @Test
    void aBadTokenFileIsSaidBeforeAnythingIsServed() throws Exception {
        Process process = start("--data", directory.resolve("data").toString(), "--token-file", directory.resolve("missing").toString());
        try {
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(Exit.USAGE);
            assertThat(process.getInputStream().readAllBytes()).isEmpty();
            assertThat(Files.readString(directory.resolve("err"))).contains("EE-501");
            assertThat(directory.resolve("data")).doesNotExist();
        } finally {
            process.destroyForcibly();
        }
    }
}
