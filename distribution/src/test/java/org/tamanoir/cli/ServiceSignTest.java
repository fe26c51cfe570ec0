package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.repository.RepositoryServer;
import org.tamanoir.repository.RepositorySettings;
import org.tamanoir.trust.Trust;
import picocli.CommandLine;

/** From a key that keytool made to a version in a repository that trusts it, as docs/trust.md goes. */
class ServiceSignTest {
    @TempDir
    private static Path keys;
    private static Path alice;
    private static Path bob;

    @TempDir
    private Path directory;
    private Path passwords;
    private String jar;
    private String out;
    private String err;

    @BeforeAll
    static void makeKeys() throws Exception {
        alice = key("alice", "-keyalg", "Ed25519");
        bob = key("bob", "-keyalg", "EC", "-groupname", "secp256r1");
    }

    /** Makes a keystore NAME.p12 and a certificate NAME.pem. */
    private static Path key(String name, String... kind) throws Exception {
        Path store = keys.resolve(name + ".p12");
        keytool(List.of("-genkeypair", "-alias", name, "-keystore", store.toString(), "-storepass", "secret", "-dname", "CN=" + name), kind);
        keytool(List.of("-exportcert", "-rfc", "-alias", name, "-keystore", store.toString(), "-storepass", "secret", "-file",
                keys.resolve(name + ".pem").toString()));
        return store;
    }

    private static void keytool(List<String> arguments, String... more) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC");
        builder.command().addAll(arguments);
        builder.command().addAll(List.of(more));
        assertThat(builder.redirectErrorStream(true).redirectOutput(keys.resolve("log").toFile()).start().waitFor()).isZero();
    }

    @BeforeEach
    void makeABundle() throws IOException {
        passwords = Files.writeString(directory.resolve("password"), "secret\n");
        jar = TestBundle.write(directory, "meter", 0x5501, "1.0.0").toString();
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

    private int sign(Path keystore, String alias, String... more) {
        String[] arguments = new String[more.length + 8];
        System.arraycopy(new String[] {"service", "sign", "--keystore", keystore.toString(), "--alias", alias, "--password-file",
            passwords.toString()}, 0, arguments, 0, 8);
        System.arraycopy(more, 0, arguments, 8, more.length);
        return run(arguments);
    }

    private JsonNode json() throws IOException {
        return new ObjectMapper().readTree(out);
    }

    @Test
    @Tag("long")
    void aSignedBundleIsTakenWhereItsPublisherIsTrustedAndNowhereElse() throws IOException {
        Path trusted = keys.resolve("alice.pem");
        assertThat(run("service", "inspect", jar, "--trust", trusted.toString())).isEqualTo(ExitCode.REFUSED);
        assertThat(out).contains("publisher: none", "name: meter", "accepted: false", "code: EE-312");

        assertThat(sign(alice, "alice", jar, "--json")).isEqualTo(ExitCode.DONE);
        JsonNode signed = json().path("signed").get(0);
        assertThat(signed.path("publisher").asText()).isEqualTo("CN=alice");
        assertThat(signed.path("file").asText()).isEqualTo(jar);
        assertThat(run("service", "inspect", jar, "--json", "--trust", trusted.toString())).isEqualTo(ExitCode.DONE);
        assertThat(json().path("key").asText()).isEqualTo(signed.path("key").asText()).hasSize(64);
        assertThat(json().path("content").asText()).hasSize(64);
        assertThat(json().path("sha256").asText()).isEqualTo(signed.path("sha256").asText());
        assertThat(run("service", "inspect", jar, "--trust", keys.resolve("bob.pem").toString())).isEqualTo(ExitCode.REFUSED);
        assertThat(out).contains("publisher: CN=alice", "accepted: false", "code: EE-313");
        Path revoked = Files.writeString(directory.resolve("revoked"), "key " + signed.path("key").asText());
        assertThat(run("service", "inspect", jar, "--trust", trusted.toString(), "--revoked", revoked.toString())).isEqualTo(ExitCode.REFUSED);
        assertThat(out).contains("code: EE-316");

        RepositorySettings settings = RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("data"));
        try (RepositoryServer repository = RepositoryServer.start(settings.withTrust(Trust.of(trusted, null)))) {
            assertThat(run("service", "push", "--repository", repository.url(), jar)).isEqualTo(ExitCode.DONE);
            assertThat(run("service", "list", "--repository", repository.url())).isEqualTo(ExitCode.DONE);
            assertThat(out).containsPattern("published +CN=alice +" + signed.path("key").asText().substring(0, 16) + "… +[0-9a-f]{64}");
            assertThat(sign(bob, "bob", jar)).isEqualTo(ExitCode.DONE);
            assertThat(out).contains("CN=bob");
            assertThat(run("service", "push", "--repository", repository.url(), jar)).isEqualTo(ExitCode.REFUSED);
            assertThat(err).contains("EE-313");
            String next = TestBundle.write(directory, "meter", 0x5501, "1.1.0").toString();
            assertThat(sign(bob, "bob", next)).isEqualTo(ExitCode.DONE);
            assertThat(run("service", "inspect", next, "--repository", repository.url())).isEqualTo(ExitCode.REFUSED);
            assertThat(out).contains("code: EE-403", "belong to the publisher CN=alice");
        }
    }

    @Test
    @Tag("long")
    void anotherFileLeavesTheBundleAsItWas() throws IOException {
        byte[] before = Files.readAllBytes(Path.of(jar));
        Path signed = directory.resolve("signed.jar");
        assertThat(sign(alice, "alice", jar, "--output", signed.toString())).isEqualTo(ExitCode.DONE);
        assertThat(Files.readAllBytes(Path.of(jar))).isEqualTo(before);
        assertThat(run("service", "inspect", signed.toString(), "--trust", keys.resolve("alice.pem").toString())).isEqualTo(ExitCode.DONE);
        assertThat(sign(alice, "alice", jar, jar, "--output", signed.toString())).isEqualTo(ExitCode.USAGE);
    }

    @Test
    @Tag("long")
    void whatCannotBeSignedOrOpenedIsSaidAndNothingIsWritten() throws IOException {
        byte[] before = Files.readAllBytes(Path.of(jar));
        assertThat(sign(alice, "bob", jar)).isEqualTo(ExitCode.USAGE);
        assertThat(err).contains("EE-501", "[alice]");
        Files.writeString(passwords, "wrong!");
        assertThat(sign(alice, "alice", jar)).isEqualTo(ExitCode.USAGE);
        assertThat(err).contains("EE-501", "password").doesNotContain("wrong!", "\tat ");
        Files.writeString(passwords, "secret");
        assertThat(sign(alice, "alice", directory.resolve("missing.jar").toString())).isEqualTo(ExitCode.NOT_FOUND);
        Path text = Files.writeString(directory.resolve("text"), "no bundle");
        assertThat(sign(alice, "alice", text.toString())).isEqualTo(ExitCode.REFUSED);
        Path empty = directory.resolve("empty.jar");
        try (OutputStream file = Files.newOutputStream(empty)) {
            new JarOutputStream(file).finish();
        }
        assertThat(sign(alice, "alice", empty.toString())).isEqualTo(ExitCode.REFUSED);
        assertThat(Files.readAllBytes(Path.of(jar))).isEqualTo(before);
        assertThat(directory.toFile().list()).containsExactlyInAnyOrder("password", "text", "empty.jar", "meter-1.0.0.jar");
    }
}
