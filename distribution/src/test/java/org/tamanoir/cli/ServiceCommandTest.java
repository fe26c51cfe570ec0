package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.repository.RepositoryServer;
import org.tamanoir.repository.RepositorySettings;
import picocli.CommandLine;

class ServiceCommandTest {
    @TempDir
    private Path directory;
    private RepositoryServer repository;
    private String out;
    private String err;

    @BeforeEach
    void start() {
        repository = RepositoryServer.start(RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("data")));
    }

    @AfterEach
    void stop() {
        repository.close();
    }

    private int run(String... arguments) {
        StringWriter standard = new StringWriter();
        StringWriter error = new StringWriter();
        CommandLine line = Tamanoir.commandLine().setOut(new PrintWriter(standard)).setErr(new PrintWriter(error));
        int exit = line.execute(arguments);
        out = standard.toString();
        err = error.toString();
        return exit;
    }

    private JsonNode json() throws IOException {
        return new ObjectMapper().readTree(out);
    }

    private String bundle(String name, int typeId, String version) throws IOException {
        return TestBundle.write(directory, name, typeId, version).toString();
    }

    @Test
    void aBundleIsInspectedPushedListedShownAndRetired() throws IOException {
        String jar = bundle("meter", 0x5501, "1.2.0");
        String url = repository.url();
        assertThat(run("service", "inspect", "--repository", url, jar)).isEqualTo(ExitCode.DONE);
        assertThat(out).contains("name: meter", "typeId: 0x5501", "  org.tamanoir.service [1.0,2)", "accepted: true");

        assertThat(run("service", "push", "--repository", url, jar)).isEqualTo(ExitCode.DONE);
        assertThat(run("service", "list", "--repository", url)).isEqualTo(ExitCode.DONE);
        assertThat(out.lines().toList()).hasSize(2).last().asString().matches("meter +0x5501 +1\\.2\\.0 +light +[\\d.]+ k?B +\\S+ +published +- +- +[0-9a-f]{64}");
        assertThat(run("service", "retire", "--repository", url, "meter", "1.2.0", "--json")).isEqualTo(ExitCode.DONE);
        assertThat(json().path("retired").asBoolean()).isTrue();
        assertThat(run("service", "show", "--repository", url, "meter", "--json")).isEqualTo(ExitCode.DONE);
        assertThat(json().path("versions")).hasSize(1);
        assertThat(json().path("versions").get(0).path("retired").asBoolean()).isTrue();
    }

    @Test
    @Tag("long")
    void oneRefusedBundleDoesNotHoldUpTheOthers() throws IOException {
        Path text = Files.writeString(directory.resolve("text"), "no bundle");
        String taken = bundle("thief", 0x5501, "1.0.0");
        String url = repository.url();
        int exit = run("service", "push", "--json", "--repository", url, text.toString(), bundle("meter", 0x5501, "1.0.0"), taken,
                bundle("other", 0x5502, "1.0.0"));
        assertThat(exit).isEqualTo(ExitCode.REFUSED);
        assertThat(json().path("pushed")).extracting(e -> e.path("name").asText()).containsExactly("meter", "other");
        assertThat(json().path("refused")).extracting(e -> e.path("code").asText()).containsExactly("EE-401", "EE-403");
        assertThat(run("service", "inspect", "--repository", url, taken)).isEqualTo(ExitCode.REFUSED);
        assertThat(out).contains("accepted: false", "code: EE-403");
        assertThat(run("service", "inspect", taken)).as("nothing is wrong with the bundle itself").isEqualTo(ExitCode.DONE);
    }

    @Test
    void aBundleThatNoNodeCanRunIsSaidToBeOneBeforeItIsPushed() throws IOException {
        Path jar = Path.of(bundle("meter", 0x5501, "1.0.0"));
        try (FileSystem zip = FileSystems.newFileSystem(jar)) {
            Files.delete(zip.getPath("OSGI-INF/service.xml"));
        }
        assertThat(run("service", "inspect", jar.toString())).isEqualTo(ExitCode.REFUSED);
        assertThat(out).contains("accepted: false", "code: EE-411", "OSGI-INF/service.xml, which is not in the bundle");
    }

    @Test
    @Tag("long")
    void whatIsNotThereAndWhoIsNotThereHaveTheirExitCodes() throws IOException {
        String url = repository.url();
        assertThat(run("service", "show", "--repository", url, "nothing")).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(err).isEqualToIgnoringNewLines("EE-407 there is no service nothing");
        assertThat(run("service", "retire", "--repository", url, "nothing", "1.0.0")).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(run("service", "push", "--repository", url, directory.resolve("nothing.jar").toString())).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(run("service", "inspect", directory.resolve("nothing.jar").toString())).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(run("service", "list", "--repository", "nonsense")).isEqualTo(ExitCode.USAGE);
        repository.close();
        assertThat(run("service", "list", "--repository", url)).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(run("service", "push", "--repository", url, bundle("meter", 0x5501, "1.0.0"))).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(out).isEmpty();
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"service", "service list", "service show", "service push", "service retire", "service inspect", "service sign", "repository",
        "repository run"})
    void everyCommandExplainsItselfWithAnExample(String command) {
        assertThat(run((command + " --help").split(" "))).isEqualTo(ExitCode.DONE);
        assertThat(out).contains("Usage: tamanoir " + command, "Example");
    }
}
