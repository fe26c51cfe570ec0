package org.tamanoir.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.oci.FakeRegistry.status;
import static org.tamanoir.oci.Registries.failure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.ErrorCode;

@Tag("long")
@Timeout(60)
class UploadTest {
    private static final byte[] BLOB = Registries.octets(3_000_000, 2);

    @TempDir
    private Path directory;
    private FakeRegistry fake;
    private Registry registry;
    private BundleManifest manifest;
    private Path file;

    @BeforeEach
    void start() throws IOException {
        fake = new FakeRegistry();
        registry = new Registry(Registries.impatient());
        file = Files.write(directory.resolve("bundle.jar"), BLOB);
        manifest = new BundleManifest("1.2.0", "meter.jar", Digest.of(BLOB).substring(7), BLOB.length, Map.of("org.tamanoir.service.name", "meter"));
    }

    @AfterEach
    void stop() {
        fake.close();
    }

    private void push() {
        registry.push(fake.location(), manifest, file);
    }

    private void assertPushed() {
        push();
        assertThat(fake.blobs.get("sha256:" + manifest.sha256())).isEqualTo(BLOB);
        assertThat(fake.manifests.get("1.2.0")).isEqualTo(manifest.octets());
        assertThat(registry.isTagged(fake.location(), manifest)).isTrue();
    }

    private List<String> methods(String what) {
        return fake.requests.stream().filter(each -> each.contains(what)).map(each -> each.substring(0, each.indexOf(' '))).toList();
    }

    @Test
    void aBundleGoesInOnePieceAndIsReadBack() throws Exception {
        assertPushed();
        assertThat(methods("/uploads/session-0")).containsExactly("PUT");
        assertThat(methods("/blobs/sha256:" + manifest.sha256())).containsExactly("HEAD", "GET");
        JsonNode json = new ObjectMapper().readTree(fake.manifests.get("1.2.0"));
        assertThat(json.path("artifactType").asText()).isEqualTo("application/vnd.tamanoir.service.v1");
        assertThat(json.path("config").path("digest").asText()).isEqualTo("sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
        assertThat(json.path("layers")).hasSize(1);
        assertThat(json.path("layers").get(0).path("digest").asText()).isEqualTo("sha256:" + manifest.sha256());
        assertThat(fake.blobs.get("sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")).isEqualTo("{}".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void whatIsThereIsNotSentAgain() {
        push();
        fake.requests.clear();
        assertPushed();
        assertThat(fake.requests).noneMatch(each -> each.startsWith("POST"));
    }

    @Test
    void theTagMovesToWhatIsPut() {
        fake.manifests.put("1.2.0", new byte[] {'{', '}'});
        assertThat(registry.isTagged(fake.location(), manifest)).isFalse();
        assertPushed();
    }

    /** Takes so much of the first upload, and cuts the connection. */
    private void cutFirstUploadAt(int octets) {
        AtomicInteger puts = new AtomicInteger();
        fake.lie("PUT .*/uploads/.*", exchange -> {
            if (puts.getAndIncrement() > 0) {
                fake.answer(exchange);
                return;
            }
            byte[] part = exchange.getRequestBody().readNBytes(octets);
            fake.uploads.get("session-0").write(part);
        });
    }

    @Test
    void afterACutTheRestIsSent() {
        cutFirstUploadAt(1_000_000);
        assertPushed();
        assertThat(methods("/uploads/session-0")).containsExactly("PUT", "GET", "PATCH", "PUT");
    }

    @Test
    void aRegistryThatHasAllOfItIsOnlyTold() {
        cutFirstUploadAt(BLOB.length);
        assertPushed();
        assertThat(methods("/uploads/session-0")).containsExactly("PUT", "GET", "PUT");
    }

    @Test
    void anUploadThatTheRegistryForgotBeginsAgain() {
        cutFirstUploadAt(1_000_000);
        fake.lie("GET .*/uploads/.*", status(404, "{\"errors\":[{\"code\":\"BLOB_UPLOAD_UNKNOWN\"}]}"));
        assertPushed();
        assertThat(methods("/uploads/session-1")).containsExactly("PUT");
    }

    @Test
    void aRestThatTheRegistryDoesNotTakeBeginsAgain() {
        cutFirstUploadAt(1_000_000);
        fake.lie("PATCH .*", status(416, "", "Range", "0-5"));
        fake.lie("GET .*/uploads/.*", exchange -> {
            if (fake.requests.stream().anyMatch(each -> each.startsWith("PATCH"))) {
                status(404, "").handle(exchange);
            } else {
                fake.answer(exchange);
            }
        });
        assertPushed();
    }

    @Test
    void aBundleGoesToTheRegistryAndNowhereElse() throws Exception {
        try (FakeRegistry other = new FakeRegistry()) {
            fake.lie("POST .*", status(202, "", "Location", "http://" + other.host() + "/v2/grid/meter/blobs/uploads/x"));
            assertThat(failure(ErrorCode.REGISTRY_ANSWER, this::push)).hasMessageContaining("another host");
            fake.lie("POST .*", status(307, "", "Location", "http://" + other.host() + "/v2/grid/meter/blobs/uploads/"));
            failure(ErrorCode.REGISTRY_ANSWER, this::push);
            assertThat(other.requests).isEmpty();
        }
    }

    @Test
    void aRegistryThatKeepsSomethingElseIsFoundOut() {
        fake.lie("PUT .*/uploads/.*", status(201, "", "Docker-Content-Digest", "sha256:" + "1".repeat(64)));
        failure(ErrorCode.REGISTRY_ANSWER, this::push);
        // One that says nothing of it, and has nothing.
        fake.lie("PUT .*/uploads/.*", status(201, ""));
        failure(ErrorCode.REGISTRY_LACKS, this::push);
        // One that says that it has it already, and has damaged octets.
        fake.beHonest();
        byte[] damaged = BLOB.clone();
        damaged[7] ^= 1;
        fake.blobs.put("sha256:" + manifest.sha256(), damaged);
        fake.lie("HEAD .*/blobs/.*", status(200, "x".repeat(0)));
        failure(ErrorCode.REGISTRY_ANSWER, this::push);
        assertThat(fake.manifests).isEmpty();
    }

    @Test
    void anotherManifestThanWasSentIsRefused() {
        fake.lie("PUT .*/manifests/.*", status(201, "", "Docker-Content-Digest", "sha256:" + "1".repeat(64)));
        failure(ErrorCode.REGISTRY_ANSWER, this::push);
    }

    @Test
    void aRegistryThatTakesNothingIsSaidAndNotAskedAgain() {
        fake.lie("POST .*", status(405, "{\"errors\":[{\"code\":\"UNSUPPORTED\",\"message\":\"The operation is unsupported.\"}]}"));
        assertThat(failure(ErrorCode.REGISTRY_REJECTS, this::push)).hasMessageContaining("405: UNSUPPORTED The operation is unsupported.");
        assertThat(methods("/uploads/")).containsExactly("POST");
        fake.beHonest().lie("PUT .*/uploads/.*", status(413, "<html>too large</html>"));
        failure(ErrorCode.REGISTRY_REJECTS, this::push);
        fake.beHonest().lie("PUT .*/manifests/.*", status(403, "{\"errors\":[{\"code\":\"DENIED\",\"message\":\"quota\"}]}"));
        assertThat(failure(ErrorCode.REGISTRY_DENIES, this::push)).hasMessageContaining("DENIED quota");
    }

    @Test
    void theSameBundleHasTheSameManifest() {
        BundleManifest again = new BundleManifest("1.2.0", "meter.jar", manifest.sha256(), BLOB.length, Map.of("org.tamanoir.service.name", "meter"));
        assertThat(again.octets()).isEqualTo(manifest.octets());
        assertThat(new BundleManifest("1.2.0", "meter.jar", manifest.sha256(), BLOB.length, Map.of("b", "2", "a", "1")).octets())
                .isEqualTo(new BundleManifest("1.2.0", "meter.jar", manifest.sha256(), BLOB.length, Map.of("a", "1", "b", "2")).octets());
    }
}
