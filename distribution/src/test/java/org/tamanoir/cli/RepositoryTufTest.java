package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.tuf.MetadataServer;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.repository.RepositoryServer;
import org.tamanoir.repository.RepositorySettings;
import org.tamanoir.tuf.ServiceTarget;
import org.tamanoir.tuf.client.TrustedSet;

/** Those who sign for a repository, from the first root to a new key, with the keys that keytool has made. */
class RepositoryTufTest {
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

    private int run(String command) {
        String whole = command.replace("URL", repository.url()).replace("DIR", directory.toString());
        StringWriter standard = new StringWriter();
        StringWriter error = new StringWriter();
        CommandLine line = new CommandLine(standard, error);
        int exit = line.execute(whole.split(" "));
        out = standard.toString();
        err = error.toString();
        return exit;
    }

    /** The program, without its process. */
    private record CommandLine(StringWriter out, StringWriter err) {
        int execute(String... arguments) {
            return Tamanoir.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(arguments);
        }
    }

    private void done(String command) {
        assertThat(run(command)).as("%s: %s", command, err).isEqualTo(ExitCode.DONE);
    }

    private void refused(ErrorCode code, String command) {
        assertThat(run(command)).as("%s: %s", command, err + out).isEqualTo(ExitCode.of(code));
        assertThat(err).contains(code.toString());
    }

    /** A keystore NAME.p12 with its password beside it, and the certificate NAME.pem. */
    private void key(String name, String... kind) {
        try {
            makeKey(name, kind);
        } catch (IOException | InterruptedException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private void makeKey(String name, String... kind) throws IOException, InterruptedException, GeneralSecurityException {
        Files.writeString(directory.resolve(name + ".password"), "secret");
        String store = directory.resolve(name + ".p12").toString();
        List<String> make = new ArrayList<>(List.of("-genkeypair", "-alias", name, "-keystore", store, "-storepass", "secret", "-dname", "CN=" + name.replaceAll("\\d", ""), "-keyalg"));
        make.addAll(Arrays.asList(kind));
        keytool(make);
        byte[] certificate = KeyStore.getInstance(new File(store), "secret".toCharArray()).getCertificate(name).getEncoded();
        Files.writeString(directory.resolve(name + ".pem"), "-----BEGIN CERTIFICATE-----\n" + Base64.getMimeEncoder().encodeToString(certificate) + "\n-----END CERTIFICATE-----\n");
    }

    private static void keytool(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.addAll(arguments);
        assertThat(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor()).isZero();
    }

    /** Whose targets these are, as a node sees it that begins with the first root. */
    private Map<String, ServiceTarget> services() throws IOException {
        Map<String, ServiceTarget> services = new HashMap<>();
        TrustedSet root = TrustedSet.of(Files.readAllBytes(directory.resolve("tuf/1.root.json")));
        new MetadataServer(HttpFetch.of(repository.url(), ErrorCode.REPOSITORY_UNREACHABLE)).verified(root).all(Instant.now())
                .forEach((path, file) -> ServiceTarget.of(path, file).ifPresent(service -> services.put(path, service)));
        return services;
    }

    @Test
    @Tag("long")
    void signAndPublish() throws Exception {
        Map<String, String[]> kinds = Map.of("owner", new String[] {"Ed25519"}, "second", new String[] {"EC", "-groupname", "secp256r1"},
                "grid", new String[] {"EC", "-groupname", "secp256r1"}, "grid2", new String[] {"Ed25519"}, "rsa", new String[] {"RSA"});
        kinds.entrySet().parallelStream().forEach(each -> key(each.getKey(), each.getValue()));
        String meter = TestBundle.write(directory, "meter", 0x5501, "1.0.0").toString();
        String in = " --directory DIR/tuf";
        String at = " --repository URL";
        String grid = " --keystore DIR/grid.p12";

        refused(ErrorCode.NOT_FOUND, "repository tuf publish" + in + at);
        refused(ErrorCode.BAD_CONFIGURATION, "repository tuf init --keystore DIR/rsa.p12" + in + at);
        done("repository tuf init --keystore DIR/owner.p12" + in + at);
        refused(ErrorCode.BAD_CONFIGURATION, "repository tuf init --keystore DIR/owner.p12" + in + at);
        refused(ErrorCode.BAD_CONFIGURATION, "repository tuf delegate root --pem DIR/grid.pem meter" + in);
        done("repository tuf delegate grid --pem DIR/grid.pem meter gauge" + in);
        refused(ErrorCode.METADATA_UNSIGNED, "repository tuf publish" + in + at);
        refused(ErrorCode.NOT_FOUND, "repository tuf sign --keystore DIR/grid.p12" + in);
        done("repository tuf sign --keystore DIR/owner.p12" + in);
        done("repository tuf publish" + in + at);
        done("repository tuf publish" + in + at);
        assertThat(out).contains("nothing has changed");

        // A publisher.
        refused(ErrorCode.NOT_DELEGATED, "service push" + at + " " + meter);
        refused(ErrorCode.NOT_DELEGATED, "service push --keystore DIR/owner.p12" + at + " " + meter);
        done("service push" + grid + at + " " + meter);
        assertThat(out).contains("meter");
        assertThat(services()).containsOnlyKeys("meter/1.0.0.jar");
        refused(ErrorCode.NOT_DELEGATED, "service push" + grid + at + " " + TestBundle.write(directory, "other", 0x5502, "1.0.0"));
        done("service push" + grid + at + " " + TestBundle.write(directory, "meter", 0x5501, "1.1.0") + " " + TestBundle.write(directory, "gauge", 0x5503, "1.0.0"));
        assertThat(services()).containsOnlyKeys("meter/1.0.0.jar", "meter/1.1.0.jar", "gauge/1.0.0.jar");
        refused(ErrorCode.NOT_DELEGATED, "service retire meter 1.0.0" + at);
        done("service retire" + grid + " meter 1.0.0 --json" + at);
        assertThat(new ObjectMapper().readTree(out).path("retired").asBoolean()).isTrue();
        refused(ErrorCode.NOT_FOUND, "service retire" + grid + " meter 1.0.0" + at);
        done("repository tuf renew" + grid + " --days 30" + at);
        refused(ErrorCode.NOT_DELEGATED, "repository tuf renew --keystore DIR/owner.p12" + at);

        // Two must sign for the root, and the publisher gets another key.
        done("repository tuf key add root --pem DIR/second.pem" + in);
        done("repository tuf threshold root 2" + in);
        refused(ErrorCode.BAD_CONFIGURATION, "repository tuf threshold root 3" + in);
        done("repository tuf key add grid --pem DIR/grid2.pem" + in);
        done("repository tuf sign --keystore DIR/owner.p12" + in);
        refused(ErrorCode.METADATA_UNSIGNED, "repository tuf publish" + in + at);
        done("repository tuf sign --keystore DIR/second.p12" + in);
        done("repository tuf publish --json" + in + at);
        assertThat(new ObjectMapper().readTree(out).path("published").path("root").asInt()).isEqualTo(2);
        String next = "service push --keystore DIR/grid2.p12" + at + " " + TestBundle.write(directory, "meter", 0x5501, "2.0.0");
        refused(ErrorCode.METADATA_UNSIGNED, next);
        done(next + " --root DIR/tuf/1.root.json");
        assertThat(services()).containsOnlyKeys("meter/1.1.0.jar", "meter/2.0.0.jar", "gauge/1.0.0.jar");
        JsonNode status = status();
        String old = role(status, "grid").path("keys").get(0).asText();
        done("repository tuf key remove grid " + old + in);

        // The online keys change, and the list of what is revoked comes.
        String before = role(status, "timestamp").path("keys").get(0).asText();
        done("repository tuf key add timestamp" + at + in);
        done("repository tuf key remove timestamp " + before + in);
        refused(ErrorCode.NOT_FOUND, "repository tuf key remove timestamp " + before + in);
        refused(ErrorCode.BAD_CONFIGURATION, "repository tuf revoke DIR/grid.pem" + in);
        Files.writeString(directory.resolve("list"), "");
        done("repository tuf revoke DIR/list" + in);
        done("repository tuf sign --keystore DIR/owner.p12" + in);
        done("repository tuf sign --keystore DIR/second.p12" + in);
        done("repository tuf publish" + in + at);
        assertThat(services()).containsOnlyKeys("meter/1.1.0.jar", "meter/2.0.0.jar", "gauge/1.0.0.jar");
        assertThat(role(status(), "timestamp").path("keys").get(0).asText()).isNotEqualTo(before);
        assertThat(role(status(), "root").path("signers").asInt()).isEqualTo(2);

        // Names go to somebody else.
        done("repository tuf delegate grid --remove gauge" + in);
        done("repository tuf delegate others --pem DIR/second.pem gauge" + in);
        done("repository tuf sign --keystore DIR/owner.p12 --renew --days 100" + in);
        done("repository tuf sign --keystore DIR/second.p12" + in);
        done("repository tuf publish" + in + at);
        assertThat(services()).containsOnlyKeys("meter/1.1.0.jar", "meter/2.0.0.jar");

        // On another machine with nothing but the first root.
        Path other = Files.createDirectories(directory.resolve("other"));
        Files.copy(directory.resolve("tuf/1.root.json"), other.resolve("1.root.json"));
        done("repository tuf status --from URL --directory DIR/other");
        assertThat(out).contains("others").containsPattern("root +published +4 ");
        assertThat(other.resolve("4.root.json")).exists();
    }

    /** A root beside no repository would be of no use, and nobody would notice. */
    @Test
    void aRootForANodeIsThatOfARepository() {
        refused(ErrorCode.BAD_CONFIGURATION, "node run --development --tuf DIR/root.json");
        assertThat(err).contains("--repository");
        refused(ErrorCode.BAD_CONFIGURATION, "node run --development --data DIR/node --repository URL --tuf DIR/missing.json");
        assertThat(err).contains("missing.json");
    }

    private JsonNode status() throws IOException {
        done("repository tuf status --json --from URL --directory DIR/tuf");
        return new ObjectMapper().readTree(out);
    }

    private static JsonNode role(JsonNode status, String name) {
        return status.path("roles").valueStream().filter(role -> role.path("role").asText().equals(name)).findFirst().orElseThrow();
    }
}
