package org.tamanoir.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.tamanoir.oci.Registries.failure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.identity.Authority;
import org.tamanoir.identity.Identity;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabRequirements;
import org.tamanoir.lab.RegistryServer;

/** Debian's docker-registry 2.8.2, which is what sites run, and older than the specification's artifacts. */
@Tag("long")
@Timeout(120)
class ARealRegistryTest {
    private static final byte[] BLOB = Registries.octets(2_000_000, 5);
    private static final String SHA256 = Digest.of(BLOB).substring(7);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TempDir
    private Path directory;
    private final BundleManifest manifest = new BundleManifest("1.2.0", "meter.jar", SHA256, BLOB.length, Map.of("org.opencontainers.image.version", "1.2.0", "org.tamanoir.service.name", "meter"));

    @BeforeAll
    static void installed() {
        String missing = RegistryServer.missing();
        assumeTrue(missing.isEmpty(), missing);
    }

    private Path bundle() throws IOException {
        return Files.write(directory.resolve("bundle.jar"), BLOB);
    }

    private static Location at(String address) {
        return Location.parse("oci://" + address + "/grid/services").of("meter");
    }

    private void assertFetched(Registry registry, Location location) throws IOException {
        registry.fetch(location, SHA256, BLOB.length, directory.resolve("fetched"));
        assertThat(Files.readAllBytes(directory.resolve("fetched"))).isEqualTo(BLOB);
    }

    @Test
    void whatIsPutIsFetchedAndOutlivesItsGarbageCollection() throws Exception {
        try (RegistryServer server = new RegistryServer()) {
            Registry registry = new Registry(Registries.impatient());
            Location location = at(server.address());
            assertThat(registry.has(location, SHA256, BLOB.length)).isFalse();
            assertThat(registry.isTagged(location, manifest)).isFalse();
            failure(ErrorCode.REGISTRY_LACKS, () -> registry.verify(location, SHA256, BLOB.length));
            registry.push(location, manifest, bundle());
            registry.push(location, manifest, bundle());
            assertThat(registry.has(location, SHA256, BLOB.length)).isTrue();
            assertThat(registry.isTagged(location, manifest)).isTrue();
            assertFetched(registry, location);
            // What nothing names is removed by the registry itself: the manifest and the tag keep a bundle there.
            server.kill();
            server.collectGarbage();
            server.again(false);
            assertFetched(registry, location);
        }
    }

    /** Another program, by the same specification: it asks for the tag, and gets the jar. */
    @Test
    void skopeoReadsWhatIsPut() throws Exception {
        assumeTrue(LabRequirements.has("skopeo") || LabRequirements.check().root(), "skopeo is missing: apt-get install skopeo");
        DebianPackages.require("skopeo", "skopeo");
        try (RegistryServer server = new RegistryServer()) {
            new Registry(Registries.impatient()).push(at(server.address()), manifest, bundle());
            String image = "docker://" + server.address() + "/grid/services/meter:1.2.0";
            JsonNode read = MAPPER.readTree(Command.run(List.of("skopeo", "inspect", "--tls-verify=false", "--raw", image)).output());
            assertThat(read.path("artifactType").asText()).isEqualTo(BundleManifest.ARTIFACT_TYPE);
            assertThat(read.path("annotations").path("org.opencontainers.image.version").asText()).isEqualTo("1.2.0");
            Path copy = directory.resolve("copy");
            Command.run(List.of("skopeo", "--insecure-policy", "copy", "--src-tls-verify=false", image, "dir:" + copy));
            assertThat(Files.readAllBytes(copy.resolve(SHA256))).isEqualTo(BLOB);
        }
    }

    @Test
    void manyMayPutIntoOnePlaceAtOnce() throws Exception {
        int writers = 8;
        ExecutorService pool = Executors.newFixedThreadPool(writers);
        try (RegistryServer server = new RegistryServer()) {
            for (int round = 0; round < Integer.getInteger("rounds", 5); round++) {
                Location location = Location.parse("oci://" + server.address() + "/round" + round + "/meter");
                Registry registry = new Registry(Registries.impatient());
                CountDownLatch go = new CountDownLatch(1);
                List<Future<?>> all = new ArrayList<>();
                for (int i = 0; i < writers; i++) {
                    byte[] octets = Registries.octets(100_000 + 20_000 * (i / 2), i / 2);
                    Path file = Files.write(directory.resolve("bundle" + i), octets);
                    BundleManifest each = new BundleManifest("1.0.0", "meter.jar", Digest.of(octets).substring(7), octets.length, Map.of());
                    all.add(pool.submit(() -> {
                        go.await();
                        registry.push(location, each, file);
                        return null;
                    }));
                }
                go.countDown();
                for (Future<?> each : all) {
                    each.get();
                }
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void aConnectionThatIsCutCostsNothingOfABundle() throws Exception {
        try (RegistryServer server = new RegistryServer(); Relay relay = new Relay(server.port())) {
            Registry registry = new Registry(Registries.impatient());
            Location location = at("127.0.0.1:" + relay.port());
            relay.cut(1, 700_000, Long.MAX_VALUE);
            registry.push(location, manifest, bundle());
            assertThat(relay.cutsLeft()).isZero();
            relay.cut(3, Long.MAX_VALUE, 500_000);
            assertFetched(registry, location);
            assertThat(relay.cutsLeft()).isZero();
        }
    }

    @Test
    void aRegistryThatIsKilledIsAwayAndServesAgain() throws Exception {
        try (RegistryServer server = new RegistryServer()) {
            Registry registry = new Registry(Registries.impatient());
            registry.push(at(server.address()), manifest, bundle());
            server.kill();
            failure(ErrorCode.REGISTRY_AWAY, () -> registry.verify(at(server.address()), SHA256, BLOB.length));
            server.again(true);
            assertFetched(registry, at(server.address()));
            byte[] other = Registries.octets(1_000, 6);
            BundleManifest next = new BundleManifest("1.3.0", "meter.jar", Digest.of(other).substring(7), other.length, Map.of());
            Path file = Files.write(directory.resolve("next.jar"), other);
            assertThat(failure(ErrorCode.REGISTRY_REJECTS, () -> registry.push(at(server.address()), next, file))).hasMessageContaining("answers 405");
        }
    }

    @Test
    void octetsThatTheDiskOfTheRegistryHasLostAreFound() throws Exception {
        try (RegistryServer server = new RegistryServer()) {
            Registry registry = new Registry(Registries.impatient());
            Location location = at(server.address());
            registry.push(location, manifest, bundle());
            byte[] damaged = BLOB.clone();
            damaged[1_000_000] ^= 4;
            Files.write(server.blob(SHA256), damaged);
            failure(ErrorCode.REGISTRY_ANSWER, () -> registry.verify(location, SHA256, BLOB.length));
            // It believes to have it, so it cannot be put again.
            failure(ErrorCode.REGISTRY_ANSWER, () -> registry.push(location, manifest, bundle()));
            Files.write(server.blob(SHA256), Arrays.copyOf(BLOB, 1000));
            failure(ErrorCode.REGISTRY_ANSWER, () -> registry.verify(location, SHA256, BLOB.length));
            Files.delete(server.blob(SHA256));
            failure(ErrorCode.REGISTRY_LACKS, () -> registry.verify(location, SHA256, BLOB.length));
            registry.push(location, manifest, bundle());
            assertFetched(registry, location);
        }
    }

    @Test
    void aPasswordComesFromTheFileOfDockerLogin() throws Exception {
        try (RegistryServer server = RegistryServer.withPassword()) {
            failure(ErrorCode.REGISTRY_DENIES, () -> new Registry(Registries.impatient()).has(at(server.address()), SHA256, 1));
            new Registry(settings(server, "secret", null)).push(at(server.address()), manifest, bundle());
            assertFetched(new Registry(settings(server, "secret", null)), at(server.address()));
            Registry wrong = new Registry(settings(server, "wrong", null));
            assertThat(failure(ErrorCode.REGISTRY_DENIES, () -> wrong.verify(at(server.address()), SHA256, BLOB.length))).hasMessageContaining("UNAUTHORIZED");
        }
    }

    private Registry.Settings settings(RegistryServer server, String password, Identity identity) throws IOException {
        String auth = Base64.getEncoder().encodeToString((RegistryServer.USER + ":" + password).getBytes(StandardCharsets.UTF_8));
        Path file = Files.writeString(directory.resolve("config.json"), "{\"auths\":{\"" + server.address() + "\":{\"auth\":\"" + auth + "\"}}}");
        return Registry.Settings.of(file, identity == null ? null : identity.sslContext(name -> false));
    }

    @Test
    void aTokenServiceSaysWhoMayDoWhat() throws Exception {
        Authority authority = new Authority(directory, "authority");
        Identity.Files files = authority.certify("registry", "IP:127.0.0.1", 10);
        try (Identity identity = new Identity(files)) {
            HttpsServer tokens = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            tokens.setHttpsConfigurator(new HttpsConfigurator(identity.sslContext(name -> false)));
            tokens.createContext("/token", exchange -> {
                try (exchange) {
                    boolean known = ("Basic " + Base64.getEncoder().encodeToString((RegistryServer.USER + ":secret").getBytes(StandardCharsets.UTF_8)))
                            .equals(exchange.getRequestHeaders().getFirst("Authorization"));
                    String query = URLDecoder.decode(exchange.getRequestURI().getRawQuery(), StandardCharsets.UTF_8);
                    FakeRegistry.reply(exchange, 200, ("{\"token\":\"" + token(files, query.replaceAll(".*repository:([^:]*):.*", "$1"), known ? "pull,push" : "pull") + "\"}")
                            .getBytes(StandardCharsets.UTF_8));
                }
            });
            tokens.start();
            String realm = "https://127.0.0.1:" + tokens.getAddress().getPort() + "/token";
            try (RegistryServer server = RegistryServer.withTokens(files.certificate(), files.key(), realm, files.authorities())) {
                Location location = Location.parse("oci+https://" + server.address() + "/grid/services/meter");
                new Registry(settings(server, "secret", identity)).push(location, manifest, bundle());
                Registry anybody = new Registry(Registry.Settings.of(null, identity.sslContext(name -> false)));
                assertFetched(anybody, location);
                failure(ErrorCode.REGISTRY_DENIES, () -> anybody.push(location, new BundleManifest("2.0.0", "meter.jar", Digest.of(new byte[1]).substring(7), 1, Map.of()),
                        Files.write(directory.resolve("one"), new byte[1])));
                // One that does not know the site's authority believes nothing.
                failure(ErrorCode.REGISTRY_AWAY, () -> new Registry(Registries.impatient()).has(location, SHA256, 1));
            } finally {
                tokens.stop(0);
            }
        }
    }

    /** A token as docker-registry wants it: a JWT whose key is certified by the authority. */
    private static String token(Identity.Files files, String repository, String actions) {
        try {
            String leaf = Files.readString(files.certificate()).replaceAll("(?s)-----END CERTIFICATE-----.*", "").replaceAll("-----[^-]*-----|\\s", "");
            byte[] key = Base64.getDecoder().decode(Files.readString(files.key()).replaceAll("-----[^-]*-----|\\s", ""));
            long now = Instant.now().getEpochSecond();
            String access = Arrays.stream(actions.split(",")).map(each -> "\"" + each + "\"").toList().toString();
            String head = "{\"typ\":\"JWT\",\"alg\":\"ES256\",\"x5c\":[\"" + leaf + "\"]}";
            String claims = "{\"iss\":\"tests\",\"sub\":\"x\",\"aud\":\"registry\",\"exp\":" + (now + 300) + ",\"nbf\":" + (now - 60) + ",\"iat\":" + now
                    + ",\"jti\":\"1\",\"access\":[{\"type\":\"repository\",\"name\":\"" + repository + "\",\"actions\":" + access + "}]}";
            Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
            String signed = base64.encodeToString(head.getBytes(StandardCharsets.UTF_8)) + "." + base64.encodeToString(claims.getBytes(StandardCharsets.UTF_8));
            Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)));
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + base64.encodeToString(signature.sign());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
