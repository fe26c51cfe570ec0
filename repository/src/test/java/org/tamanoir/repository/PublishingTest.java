package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.osgi.framework.Version;
import org.osgi.resource.Capability;
import org.osgi.resource.Resource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch.Fetched;
import org.tamanoir.http.fetch.HttpFetch.Read;

@ParameterizedClass
@EnumSource(Backend.class)
class PublishingTest {
    @Parameter
    private Backend backend;
    @TempDir
    private Path data;
    private Repo repo;

    @BeforeEach
    void start() {
        repo = new Repo(backend.settings(data));
    }

    @AfterEach
    void stop() {
        repo.close();
    }

    @Test
    @Tag("long")
    void aPublishedBundleIsListedIndexedAndFetchedAsItWasSent() throws Exception {
        byte[] bundle = Bundles.good("meter", 0x5501, "1.2.0", new byte[300_000]);
        String sha256 = Repo.sha256(bundle);
        JsonNode entry = repo.push(bundle);
        assertThat(entry).isEqualTo(repo.http.json("/services/meter/1.2.0")).isEqualTo(repo.services().get(0));
        assertThat(entry.path("typeId").asInt()).isEqualTo(0x5501);
        assertThat(entry.path("level").asText()).isEqualTo("middle");
        assertThat(entry.path("size").asLong()).isEqualTo(bundle.length);
        assertThat(entry.path("retired").asBoolean(true)).isFalse();

        assertThat(repo.http.bytes("/bundles/" + sha256 + ".jar", 1 << 20)).isEqualTo(bundle);

        Resource resource = repo.index().get(repo.server.url() + "/bundles/" + sha256 + ".jar");
        assertThat(resource.getCapabilities("osgi.content").get(0).getAttributes()).containsEntry("osgi.content", sha256)
                .containsEntry("size", (long) bundle.length);
        Capability service = resource.getCapabilities("tamanoir.service").get(0);
        assertThat(service.getAttributes()).containsEntry("name", "meter").containsEntry("type-id", 0x5501L).containsEntry("level", "middle");
        assertThat(Version.parseVersion(service.getAttributes().get("version").toString())).isEqualTo(new Version(1, 2, 0));
        assertThat(service.getAttributes().get("version")).isNotInstanceOf(String.class);
        assertThat(resource.getRequirements("osgi.wiring.package")).hasSize(2);
    }

    @Test
    @Tag("long")
    void theIndexIsFetchedAgainOnlyWhenItHasChanged() throws Exception {
        repo.push(Bundles.good("meter", 0x5501, "1.0.0"));
        Fetched first = repo.http.ifChanged("/index.xml", null, 1 << 20);
        assertThat(repo.http.ifChanged("/index.xml", first.etag(), 1 << 20).body()).isEmpty();
        repo.push(Bundles.good("meter", 0x5501, "1.0.0"));
        assertThat(repo.http.ifChanged("/index.xml", first.etag(), 1 << 20).body()).isEmpty();
        repo.push(Bundles.good("meter", 0x5501, "1.1.0"));
        Fetched second = repo.http.ifChanged("/index.xml", first.etag(), 1 << 20);
        Read<byte[]> packed = repo.http.readIfChanged("/index.xml", second.etag(), 2_000, in -> {
            try {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertThat(second.body().orElseThrow()).as("longer than what may come").hasSizeGreaterThan(2_000).isEqualTo(packed.value().orElseThrow());
        assertThat(repo.http.readIfChanged("/index.xml", packed.etag(), 2_000, in -> in).value()).isEmpty();
    }

    @Test
    @Tag("long")
    void aRetiredVersionLeavesTheIndexAndStaysForWhoHoldsItsHash() throws Exception {
        byte[] bundle = Bundles.good("meter", 0x5501, "1.0.0");
        repo.push(bundle);
        JsonNode retired = repo.http.delete("/services/meter/1.0.0");
        assertThat(retired.path("retired").asBoolean()).isTrue();
        assertThat(repo.http.delete("/services/meter/1.0.0")).isEqualTo(retired);
        assertThat(repo.index()).isEmpty();
        assertThat(repo.http.bytes("/bundles/" + Repo.sha256(bundle) + ".jar", 1 << 20)).isEqualTo(bundle);
        assertThat(repo.http.json("/services/meter").path("versions").get(0).path("retired").asBoolean()).isTrue();

        // The name and the number stay together although no version is left.
        assertCode(ErrorCode.TYPE_ID_TAKEN, Bundles.good("other", 0x5501, "1.0.0"));
        assertCode(ErrorCode.TYPE_ID_TAKEN, Bundles.good("meter", 0x5502, "2.0.0"));
        // The version is spent, but for the content that it had.
        assertCode(ErrorCode.VERSION_EXISTS, Bundles.good("meter", 0x5501, "1.0.0", new byte[] {9}));
        assertThat(repo.push(bundle).path("retired").asBoolean(true)).isFalse();
        assertThat(repo.index()).hasSize(1);
    }

    @Test
    void whatIsNotThereIsNotFound() {
        for (String path : List.of("/services/meter", "/services/meter/1.0.0", "/bundles/" + "0".repeat(64) + ".jar", "/bundles/x.jar")) {
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> repo.http.bytes(path, 100))
                    .extracting(AnepException::code).isEqualTo(ErrorCode.NOT_FOUND);
        }
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> repo.http.delete("/services/meter/1.0.0"))
                .extracting(AnepException::code).isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    @Tag("long")
    void ofManyUploadsOfOneVersionOneWinsAndTheOthersAreToldSo() throws Exception {
        int racers = 8;
        ExecutorService pool = Executors.newFixedThreadPool(racers);
        try {
            for (int round = 0; round < 5; round++) {
                String version = "1." + round + ".0";
                CountDownLatch go = new CountDownLatch(1);
                ConcurrentLinkedQueue<String> winners = new ConcurrentLinkedQueue<>();
                List<Future<ErrorCode>> results = new ArrayList<>();
                for (int i = 0; i < racers; i++) {
                    byte[] payload = new byte[100_000 + 20_000 * i];
                    new Random(i).nextBytes(payload);
                    byte[] bundle = Bundles.good("meter", 0x5501, version, payload);
                    results.add(pool.submit(() -> {
                        go.await();
                        try {
                            winners.add(repo.push(bundle).path("sha256").asText());
                            return null;
                        } catch (AnepException e) {
                            return e.code();
                        }
                    }));
                }
                go.countDown();
                for (Future<ErrorCode> result : results) {
                    assertThat(result.get()).isIn(null, ErrorCode.VERSION_EXISTS);
                }
                assertThat(winners).hasSize(1);
                assertThat(repo.http.json("/services/meter/" + version).path("sha256").asText()).isEqualTo(winners.peek());
                assertThat(Repo.sha256(repo.http.bytes("/bundles/" + winners.peek() + ".jar", 1 << 20))).isEqualTo(winners.peek());
            }
            assertThat(repo.metrics()).contains("\ntamanoir_repository_published_total 5\n", "\ntamanoir_repository_refused_total 35\n");
            assertThat(backend.bundles(data)).hasSize(5);
            assertThat(data.resolve("incoming")).isEmptyDirectory();
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    @Tag("long")
    void metricsCountWhatHappened() throws Exception {
        byte[] bundle = Bundles.good("meter", 0x5501, "1.0.0");
        repo.push(bundle);
        repo.push(bundle);
        assertCode(ErrorCode.NOT_A_BUNDLE, new byte[] {1});
        repo.http.bytes("/bundles/" + Repo.sha256(bundle) + ".jar", 1 << 20);
        Map<String, Long> expected = Map.of("published_total", 1L, "published_again_total", 1L, "refused_total", 1L, "bundles_served_total", 1L,
                "octets_served_total", (long) bundle.length, "versions", 1L, "damaged", 0L);
        String text = repo.metrics();
        expected.forEach((name, value) -> assertThat(text).contains("\ntamanoir_repository_" + name + " " + value + "\n"));
    }

    private void assertCode(ErrorCode code, byte[] bundle) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(() -> repo.push(bundle)).extracting(AnepException::code).isEqualTo(code);
    }
}
