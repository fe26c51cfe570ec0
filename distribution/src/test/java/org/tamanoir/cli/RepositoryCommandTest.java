package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;

/** The server as its operator runs it: in a process of its own if it gets so far. */
class RepositoryCommandTest {
    @TempDir
    private Path directory;

    private static String[] run(String... more) {
        List<String> arguments = new ArrayList<>(List.of("repository", "run", "--listen", "127.0.0.1:0"));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private Process start(String... more) throws IOException {
        return Launched.process(run(more)).redirectError(directory.resolve("err").toFile()).start();
    }

    @Test
    @Tag("long")
    void saysReadyOnceServesAndStopsInOrderWhenAsked() throws Exception {
        Process process = start("--data", directory.resolve("data").toString(), "--development");
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String ready = out.readLine();
            assertThat(ready).matches("READY repository http://127\\.0\\.0\\.1:\\d+");
            String url = ready.substring("READY repository ".length());
            assertThat(URI.create(url).getPort()).isPositive();
            assertThat(HttpFetch.of(url, ErrorCode.REPOSITORY_UNREACHABLE).json("/health").path("status").asText()).isEqualTo("up");

            Process second = start("--data", directory.resolve("data").toString(), "--development");
            assertThat(second.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(second.exitValue()).isEqualTo(ExitCode.FAILED);
            assertThat(Files.readString(directory.resolve("err"))).contains("EE-503").doesNotContain("\tat ");

            // SIGTERM.
            process.toHandle().destroy();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(ExitCode.DONE);
            assertThat(out.readLine()).isNull();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aFileInPlaceOfTheDataDirectoryIsSaidInPlainWords() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "data");
        for (Path data : List.of(file, file.resolve("below"))) {
            Launched refused = Launched.here(run("--development", "--data", data.toString()));
            assertThat(refused.exit()).isEqualTo(ExitCode.FAILED);
            assertThat(refused.err()).startsWith("EE-503").containsIgnoringCase("no").contains(data.toString()).contains("director").doesNotContain("Exception");
        }
        assertThat(file).hasContent("data");
    }

    @Test
    void aBadTokenFileIsSaidBeforeAnythingIsServed() throws Exception {
        assertRefusedAtTheStart("missing", "--data", directory.resolve("data").toString(), "--development", "--token-file", directory.resolve("missing").toString());
    }

    @Test
    void nobodyIsTrustedUnlessTheOperatorSaysWho() throws Exception {
        String data = directory.resolve("data").toString();
        assertRefusedAtTheStart("--trust FILE", "--data", data);
        assertRefusedAtTheStart("nobody.pem", "--data", data, "--trust", directory.resolve("nobody.pem").toString());
        assertThat(Launched.here(run("--data", data, "--trust", "x", "--development")).exit()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    @Tag("long")
    void aMirrorServesWhatItsUpstreamHasAndSendsPublishersThere() throws Exception {
        Process upstream = start("--data", directory.resolve("upstream").toString(), "--development");
        Process mirror = null;
        try (BufferedReader out = new BufferedReader(new InputStreamReader(upstream.getInputStream(), StandardCharsets.UTF_8))) {
            String url = out.readLine().substring("READY repository ".length());
            mirror = start("--data", directory.resolve("mirror").toString(), "--development", "--mirror", url, "--mirror-every", "1s",
                    "--mirror-max", "1G");
            HttpFetch http = HttpFetch.of(new BufferedReader(new InputStreamReader(mirror.getInputStream(), StandardCharsets.UTF_8)).readLine()
                    .substring("READY repository ".length()), ErrorCode.REPOSITORY_UNREACHABLE);
            Path empty = Files.createFile(directory.resolve("empty.jar"));
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> http.put("/bundles", empty)).withMessageContaining(url)
                    .satisfies(e -> assertThat(ExitCode.of(e.code())).isEqualTo(ExitCode.REFUSED));
            for (int i = 0; i < 100 && !http.json("/health").path("mirror").path("state").asText().equals("current"); i++) {
                Thread.sleep(100);
            }
            assertThat(http.json("/health").path("mirror").path("state").asText()).isEqualTo("current");
            assertThat(http.json("/health").path("mirror").path("upstream").asText()).isEqualTo(url);
        } finally {
            upstream.destroyForcibly();
            if (mirror != null) {
                mirror.destroyForcibly();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"--mirror-every 5s, --mirror", "--mirror nowhere, EE-408", "--mirror http://127.0.0.1 --mirror-every 10, 10",
        "--mirror http://127.0.0.1 --mirror-every 25h, EE-501", "--mirror http://127.0.0.1 --mirror-max much, much"})
    void aMirrorThatCannotBeIsSaidBeforeAnythingIsServed(String options, String said) throws Exception {
        List<String> all = new ArrayList<>(List.of("--data", directory.resolve("data").toString(), "--development"));
        all.addAll(List.of(options.split(" ")));
        Launched refused = Launched.here(run(all.toArray(String[]::new)));
        assertThat(refused.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(refused.err()).contains(said).doesNotContain("\tat ");
        assertThat(directory.resolve("data")).doesNotExist();
    }

    private void assertRefusedAtTheStart(String reason, String... arguments) throws Exception {
        Launched refused = Launched.here(run(arguments));
        assertThat(refused.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err()).contains("EE-501", reason);
        assertThat(directory.resolve("data")).doesNotExist();
    }
}
