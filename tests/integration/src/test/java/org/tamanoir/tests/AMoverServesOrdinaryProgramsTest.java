package org.tamanoir.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.Adler32;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.identity.token.TokenIssuer;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;

/** Two movers as processes, by HTTPS, with tokens of an issuer, and the first with one of its own; curl, davix and gfal2, by which FTS copies, as Debian has them. */
@Tag("long")
@Tag("seeded")
@Timeout(240)
class AMoverServesOrdinaryProgramsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int OCTETS = 8_000_000;
    private static final String AUDIENCE = "https://second.example.org";

    private static final List<LabProcess> MOVERS = new ArrayList<>();

    @TempDir
    private static Path directory;
    private static Authority authority;
    private static Path first;
    private static Path second;
    private static String firstUrl;
    private static String secondUrl;
    private static String reads;
    private static String writes;
    private static Path file;
    private static byte[] content;

    @BeforeAll
    static void start() throws IOException {
        authority = new Authority(directory, "grid");
        TokenIssuer issuer = new TokenIssuer("https://issuer.example.org", directory.resolve("keys"));
        first = Files.createDirectory(directory.resolve("first"));
        second = Files.createDirectory(directory.resolve("second"));
        Files.writeString(directory.resolve("token"), "secret\n");
        String[] tokens = {"--issuer", issuer.name() + "=" + issuer.keys(), "--audience", AUDIENCE};
        secondUrl = mover(second, tokens);
        firstUrl = mover(first, Command.append(List.of(tokens), "--token-file", directory.resolve("token").toString()).toArray(String[]::new));
        reads = "Bearer " + issuer.token("ada", AUDIENCE, "storage.read:/");
        writes = "Bearer " + issuer.token("ada", AUDIENCE, "storage.read:/ storage.modify:/run7");
        content = new byte[OCTETS];
        new Random(7).nextBytes(content);
        file = Files.write(directory.resolve("file"), content);
    }

    private static String mover(Path root, String... more) {
        Identity.Files files = authority.certify(root.getFileName() + "-host", "IP:127.0.0.1", 1);
        LabProcess mover = LabProcess.start("mover", CommandLineTool.command(Command.append(List.of("mover", "run", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
                "--root", root.toString(), "--certificate", files.certificate().toString(), "--key", files.key().toString(), "--authorities", authority.certificate().toString()), more)
                .toArray(String[]::new)));
        MOVERS.add(mover);
        return mover.awaitLine("READY mover ", PATIENCE).split(" ")[3];
    }

    @AfterAll
    static void stop() {
        MOVERS.forEach(LabProcess::close);
    }

    @AfterEach
    void takeAway() throws IOException {
        for (Path root : List.of(first, second)) {
            try (Stream<Path> files = Files.walk(root)) {
                for (Path each : files.filter(path -> !path.equals(root)).sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    private static void needs(String program, String... packages) {
        if (!LabRequirements.has(program) && LabRequirements.check().root()) {
            DebianPackages.install(List.of(packages));
        }
        Assumptions.assumeTrue(LabRequirements.has(program), program + " is missing: apt-get install " + String.join(" ", packages));
    }

    private String curl(String authorization, String... arguments) {
        List<String> command = new ArrayList<>(List.of("curl", "--silent", "--show-error", "--noproxy", "*", "--cacert", authority.certificate().toString()));
        if (authorization != null) {
            command.addAll(List.of("--header", "Authorization: " + authorization));
        }
        command.addAll(List.of(arguments));
        return Command.run(command, null, PATIENCE).output();
    }

    private String copy(String authorization, String url, String... fields) {
        List<String> arguments = new ArrayList<>(List.of("--request", "COPY", "--write-out", "%{http_code}"));
        Arrays.stream(fields).forEach(field -> arguments.addAll(List.of("--header", field)));
        arguments.add(url);
        return curl(authorization, arguments.toArray(String[]::new));
    }

    private void assertIsTheFile(Path found) throws IOException {
        assertThat(found).exists();
        assertThat(Arrays.equals(Files.readAllBytes(found), content)).as("%s is the file", found).isTrue();
    }

    @Test
    void curl() throws IOException {
        needs("curl", "curl");
        String own = "Bearer secret";
        assertThat(curl(own, "--upload-file", file.toString(), "--write-out", "%{http_code}", firstUrl + "/run7/a")).isEqualTo("201");
        assertIsTheFile(first.resolve("run7/a"));
        Path part = directory.resolve("part");
        curl(own, "--range", "1000-1999", "--output", part.toString(), firstUrl + "/run7/a");
        assertThat(Arrays.equals(Files.readAllBytes(part), Arrays.copyOfRange(content, 1000, 2000))).isTrue();
        Adler32 sum = new Adler32();
        sum.update(content);
        assertThat(curl(own, "--head", "--header", "Want-Digest: adler32", firstUrl + "/run7/a").toLowerCase(Locale.ROOT)).contains("digest: adler32=%08x".formatted(sum.getValue()));
        assertThat(curl(null, "--write-out", "%{http_code}", firstUrl + "/run7/a")).contains("EE-406").endsWith("401");
        assertThat(curl("Bearer wrong", "--write-out", "%{http_code}", firstUrl + "/run7/a")).contains("EE-217").endsWith("401");

        String show = "TransferHeaderAuthorization: ";
        assertThat(copy(writes, secondUrl + "/run7/pulled", "Source: " + firstUrl + "/run7/a", show + own, "RequireChecksumVerification: true")).endsWith("success: Created\n202");
        assertIsTheFile(second.resolve("run7/pulled"));
        assertThat(copy(own, firstUrl + "/run7/a", "Destination: " + secondUrl + "/run7/pushed", show + writes, "RequireChecksumVerification: true")).endsWith("success: Created\n202");
        assertIsTheFile(second.resolve("run7/pushed"));
        assertThat(copy(writes, secondUrl + "/run7/x", "Source: " + firstUrl + "/run7/a", show + "Bearer wrong")).contains("failure: EE-406").endsWith("202");
        assertThat(copy(own, firstUrl + "/run7/a", "Destination: " + secondUrl + "/run7/x", show + reads)).contains("failure: EE-406").contains(" answers 403").endsWith("202");
        assertThat(copy(reads, secondUrl + "/run7/x", "Source: " + firstUrl + "/run7/a", show + own)).contains("EE-216").endsWith("403");
        assertThat(copy(writes, secondUrl + "/run7/x", "Source: " + firstUrl + "/run7/none", show + own)).contains("failure: EE-407").endsWith("202");
        assertThat(second.resolve("run7/x")).doesNotExist();

        Path token = Files.writeString(directory.resolve("read.token"), reads.substring("Bearer ".length()));
        CommandLineTool.run("copy", "--authorities", authority.certificate().toString(), "--source-token-file", token.toString(), "--extent", "1M", "--sha256", secondUrl + "/run7/pulled",
                directory.resolve("copied").toString());
        assertIsTheFile(directory.resolve("copied"));
    }

    private Command.Result gfal(String program, String... arguments) {
        List<String> command = new ArrayList<>(List.of("env", "GFAL_PYTHONBIN=/usr/bin/python3", "BEARER_TOKEN=" + writes.substring("Bearer ".length()), program, "-D",
                "HTTP PLUGIN:INSECURE=true"));
        command.addAll(List.of(arguments));
        return Command.run(command, null, PATIENCE);
    }

    @Test
    void gfal() throws IOException {
        needs("gfal-copy", "gfal2-util-scripts", "python3-gfal2-util", "gfal2-plugin-http", "gfal2-plugin-file");
        String from = firstUrl.replace("https:", "davs:") + "/run7/new/a";
        String to = secondUrl.replace("https:", "davs:") + "/run7/new/b";
        gfal("gfal-copy", "-p", file.toString(), from);
        assertIsTheFile(first.resolve("run7/new/a"));
        assertThat(gfal("gfal-stat", from).output()).contains("Size: " + OCTETS);
        gfal("gfal-copy", "-p", "-K", "ADLER32", from, to);
        assertIsTheFile(second.resolve("run7/new/b"));
        gfal("gfal-rm", from);
        assertThat(first.resolve("run7/new/a")).doesNotExist();
    }

    private Command.Result davix(String program, String authorization, String... arguments) {
        List<String> command = new ArrayList<>(List.of(program, "--insecure", "-H", "Authorization: " + authorization));
        command.addAll(List.of(arguments));
        return Command.run(command, null, PATIENCE);
    }

    @Test
    void davix() throws IOException {
        needs("davix-get", "davix");
        String own = "Bearer secret";
        davix("davix-mkdir", own, firstUrl + "/run7");
        davix("davix-put", own, file.toString(), firstUrl + "/run7/a");
        assertIsTheFile(first.resolve("run7/a"));
        assertThat(davix("davix-ls", own, "-l", firstUrl.replace("https:", "davs:") + "/run7").output()).contains(" " + OCTETS + " ").contains(" a");
        davix("davix-get", own, firstUrl + "/run7/a", directory.resolve("got").toString());
        assertIsTheFile(directory.resolve("got"));
        davix("davix-cp", own, "-H", "TransferHeaderAuthorization: " + writes, firstUrl + "/run7/a", secondUrl + "/run7/pushed");
        assertIsTheFile(second.resolve("run7/pushed"));
        davix("davix-cp", writes, "--copy-mode", "pull", "-H", "TransferHeaderAuthorization: " + own, firstUrl + "/run7/a", secondUrl + "/run7/pulled");
        assertIsTheFile(second.resolve("run7/pulled"));
        Command.Result failed = Command.tryRun(List.of("davix-cp", "--insecure", "--retry", "0", "--copy-mode", "pull", "-H", "Authorization: " + writes, "-H",
                "TransferHeaderAuthorization: " + own, firstUrl + "/run7/none", secondUrl + "/run7/x"), null, PATIENCE);
        assertThat(failed.exit()).isNotZero();
        assertThat(failed.errors() + failed.output()).contains("EE-407");
        davix("davix-rm", own, firstUrl + "/run7/a");
        assertThat(first.resolve("run7/a")).doesNotExist();
    }
}
