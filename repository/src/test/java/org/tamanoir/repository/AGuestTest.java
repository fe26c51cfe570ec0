package org.tamanoir.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.repository.mirror.MirrorSettings;
import org.tamanoir.repository.store.GuestQuotas;
import org.tamanoir.trust.Trust;

/** A guest publishes WebAssembly under names of its own, within its quotas, wherever the repository keeps what it has. */
@ParameterizedClass
@EnumSource(Backend.class)
class AGuestTest {
    @TempDir
    private static Path keys;
    private static Signer alice;
    private static Signer cms;
    private static Signer otherCms;

    @Parameter
    private Backend backend;
    @TempDir
    private Path directory;
    private Path publishers;
    private Path guests;

    @BeforeAll
    static void makeKeys() throws Exception {
        alice = new Signer(keys, "alice", "CN=Alice,O=Example");
        cms = new Signer(keys, "cms", "CN=CMS,O=Example");
        otherCms = new Signer(keys, "other", "CN=cms,O=Elsewhere");
    }

    @BeforeEach
    void list() throws IOException {
        publishers = Files.writeString(directory.resolve("publishers.pem"), alice.certificate());
        guests = Files.writeString(directory.resolve("guests.pem"), cms.certificate() + otherCms.certificate());
    }

    private RepositorySettings settings(String data, GuestQuotas quotas) {
        return backend.settings(directory.resolve(data)).withTrust(Trust.of(publishers, guests, null, null, List.of())).withGuests(quotas);
    }

    private static void assertRefused(ThrowingCallable push, ErrorCode code, String... message) {
        assertThatExceptionOfType(AnepException.class).isThrownBy(push).withMessageContainingAll(message).satisfies(e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    @Test
    @Tag("long")
    void publishesUnderItsLabelAndNothingElse() throws Exception {
        try (Repo repo = new Repo(settings("data", GuestQuotas.PRESET))) {
            byte[] bundle = cms.sign(Bundles.wasm("~cms/filter", 0x5801, "1.0.0"));
            assertThat(repo.push(bundle).path("publisher").asText()).isEqualTo("CN=CMS,O=Example");
            assertThat(repo.index()).hasSize(1);
            assertThat(repo.http.bytes("/bundles/" + Repo.sha256(bundle) + ".jar", 1 << 20)).isEqualTo(bundle);
            assertRefused(() -> repo.push(cms.sign(Bundles.wasm("filter", 0x5802, "1.0.0"))), ErrorCode.NOT_FOR_GUESTS, "~cms/");
            assertRefused(() -> repo.push(cms.sign(Bundles.wasm("~atlas/filter", 0x5802, "1.0.0"))), ErrorCode.NOT_FOR_GUESTS, "~cms/");
            assertRefused(() -> repo.push(cms.sign(Bundles.wasm("~cms/other", 0x5501, "1.0.0"))), ErrorCode.NOT_FOR_GUESTS, "0x5800 to 0x5FFF");
            assertRefused(() -> repo.push(cms.sign(Bundles.good("filter", 0x5501, "1.0.0"))), ErrorCode.NOT_FOR_GUESTS, "~cms/");
            assertRefused(() -> repo.push(cms.sign(withComponent("~cms/java", 0x5803))), ErrorCode.NOT_FOR_GUESTS, "WebAssembly");
            assertRefused(() -> repo.push(alice.sign(Bundles.wasm("~alice/filter", 0x5804, "1.0.0"))), ErrorCode.NOT_FOR_GUESTS, "guests alone");
            assertRefused(() -> repo.push(alice.sign(Bundles.wasm("filter", 0x5804, "1.0.0"))), ErrorCode.NOT_FOR_GUESTS, "guests alone");
            // Whose certificate gives the same label is not to be taken for the first.
            assertRefused(() -> repo.push(otherCms.sign(Bundles.wasm("~cms/theirs", 0x5805, "1.0.0"))), ErrorCode.TYPE_ID_TAKEN, "CN=CMS,O=Example", "CN=cms,O=Elsewhere");
            // A publisher who is trusted may bring WebAssembly too.
            assertThat(repo.push(alice.sign(Bundles.wasm("filter", 0x5504, "1.0.0"))).path("name").asText()).isEqualTo("filter");
        }
        try (Repo again = new Repo(settings("data", GuestQuotas.PRESET))) {
            assertThat(again.services()).hasSize(2);
            assertThat(again.http.json("/health").path("status").asText()).isEqualTo("up");
        }
    }

    /** In Java, and otherwise as a guest's has to be. */
    private static byte[] withComponent(String name, int typeId) {
        Map<String, String> headers = Bundles.headers("x", typeId, "1.0.0");
        headers.put("Provide-Capability", Bundles.capability(name, typeId, "1.0.0"));
        return Bundles.jar(headers);
    }

    @Test
    void isRefusedNamesThatLeadElsewhere() throws Exception {
        try (Repo repo = new Repo(settings("data", GuestQuotas.PRESET))) {
            for (String name : List.of("~../x", "~cms/..", "~cms/../alice", "~cms//x", "~cms/x/y", "~cms/~x", "~cms\\x", "~cms/%2e%2e", "~cms/*")) {
                assertRefused(() -> repo.push(cms.sign(Bundles.wasm(name, 0x5801, "1.0.0"))), ErrorCode.NO_CAPABILITY, "~LABEL/NAME");
            }
            assertThat(repo.services()).isEmpty();
        }
    }

    @Test
    @Tag("long")
    void isFoundAndRetiredByItsNameInAPath() throws Exception {
        try (Repo repo = new Repo(settings("data", GuestQuotas.PRESET))) {
            repo.push(cms.sign(Bundles.wasm("~cms/filter", 0x5801, "1.0.0")));
            String path = "/services/" + HttpFetch.segment(ServiceName.segment("~cms/filter"));
            assertThat(repo.http.json(path).path("name").asText()).isEqualTo("~cms/filter");
            assertThat(repo.http.json(path + "/1.0.0").path("typeId").asInt()).isEqualTo(0x5801);
            repo.http.delete(path + "/1.0.0");
            assertThat(repo.index()).isEmpty();
            assertRefused(() -> repo.http.json("/services/~cms~other"), ErrorCode.NOT_FOUND, "~cms/other");
            assertRefused(() -> repo.http.json("/services/~cms%2Ffilter"), ErrorCode.BAD_REQUEST, "segment");
        }
    }

    @Test
    @Tag("long")
    void cannotExceedAQuotaAndSeesWhatItHas() throws Exception {
        GuestQuotas small = new GuestQuotas(2, 2, 1 << 20, 5);
        try (Repo repo = new Repo(settings("data", small))) {
            repo.push(cms.sign(Bundles.wasm("~cms/a", 0x5801, "1.0.0")));
            repo.push(cms.sign(Bundles.wasm("~cms/a", 0x5801, "1.1.0")));
            assertRefused(() -> repo.push(cms.sign(Bundles.wasm("~cms/a", 0x5801, "1.2.0"))), ErrorCode.GUEST_QUOTA, "service retire '~cms/a' 1.0.0");
            repo.http.delete("/services/~cms~a/1.0.0");
            repo.push(cms.sign(Bundles.wasm("~cms/a", 0x5801, "1.2.0")));
            repo.push(cms.sign(Bundles.wasm("~cms/b", 0x5802, "1.0.0")));
            assertRefused(() -> repo.push(cms.sign(Bundles.wasm("~cms/c", 0x5803, "1.0.0"))), ErrorCode.GUEST_QUOTA, "2 services");
            byte[] large = new byte[900_000];
            new Random(5).nextBytes(large);
            assertRefused(() -> repo.push(cms.sign(Bundles.wasm("~cms/b", 0x5802, "1.1.0", large))), ErrorCode.GUEST_QUOTA, "octets");
            repo.push(cms.sign(Bundles.wasm("~cms/b", 0x5802, "1.1.0")));
            repo.http.delete("/services/~cms~b/1.0.0");
            assertRefused(() -> repo.push(cms.sign(Bundles.wasm("~cms/b", 0x5802, "1.2.0"))), ErrorCode.GUEST_QUOTA, "5 uploads");
            // Nobody else is counted, and nothing of what was refused is kept.
            repo.push(alice.sign(Bundles.good("meter", 0x5501, "1.0.0")));
            assertThat(backend.bundles(directory.resolve("data"))).hasSize(6);
        }
        // A restart forgets nothing.
        try (Repo again = new Repo(settings("data", small))) {
            assertRefused(() -> again.push(cms.sign(Bundles.wasm("~cms/b", 0x5802, "1.2.0"))), ErrorCode.GUEST_QUOTA, "5 uploads");
            JsonNode use = again.http.json("/services").path("guests").get(0);
            assertThat(use.path("label").asText()).isEqualTo("cms");
            assertThat(use.path("services").asInt()).isEqualTo(2);
            assertThat(use.path("versions").asInt()).isEqualTo(2);
            assertThat(use.path("octets").asLong()).isEqualTo(5L * GuestQuotas.LEAST_OCTETS);
            assertThat(use.path("uploads").asInt()).isEqualTo(5);
            assertThat(again.http.json("/health").path("guestQuotas").path("octets").asLong()).isEqualTo(1 << 20);
        }
    }

    @Test
    @Tag("long")
    void isLeftOutByAMirrorWithoutAList() throws Exception {
        try (Repo repo = new Repo(settings("data", new GuestQuotas(1, 1, 1 << 20, 9)))) {
            repo.push(alice.sign(Bundles.good("meter", 0x5501, "1.0.0")));
            repo.push(cms.sign(Bundles.wasm("~cms/a", 0x5801, "1.0.0")));
            MirrorSettings upstream = MirrorSettings.of(repo.server.url(), 1 << 20).withEvery(Duration.ofSeconds(1));
            RepositorySettings plain = RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("without")).withTrust(Trust.of(publishers, null));
            // A mirror counts nothing: whatever its own options would be.
            RepositorySettings full = RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("with"))
                    .withTrust(Trust.of(publishers, guests, null, null, List.of())).withGuests(new GuestQuotas(0, 0, 0, 0));
            try (Repo without = new Repo(plain, upstream); Repo with = new Repo(full, upstream)) {
                await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                    assertThat(with.services()).hasSize(2);
                    assertThat(without.services()).hasSize(1);
                    assertThat(without.http.json("/health").path("mirror").path("state").asText()).isEqualTo("current");
                });
                assertThat(without.http.json("/health").path("status").asText()).isEqualTo("up");
            }
        }
    }

    @Test
    @Tag("long")
    void cannotExceedAQuotaByManyUploadsAtOnce() throws Exception {
        GuestQuotas small = new GuestQuotas(8, 3, 64 << 20, 60);
        List<byte[]> bundles = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            bundles.add(cms.sign(Bundles.wasm("~cms/a", 0x5801, "1." + i + ".0")));
        }
        ExecutorService pool = Executors.newFixedThreadPool(6);
        List<Repo> repos = new ArrayList<>();
        try {
            repos.add(new Repo(settings("data", small)));
            if (backend == Backend.POSTGRESQL) {
                // Another process of the same repository.
                repos.add(new Repo(RepositorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("second")).withTrust(Trust.of(publishers, guests, null, null, List.of()))
                        .withGuests(small).withDatabase(settings("data", small).database())));
            }
            List<Future<JsonNode>> pushes = new ArrayList<>();
            for (int i = 0; i < bundles.size(); i++) {
                Repo to = repos.get(i % repos.size());
                byte[] bundle = bundles.get(i);
                pushes.add(pool.submit(() -> to.push(bundle)));
            }
            int taken = 0;
            for (Future<JsonNode> push : pushes) {
                try {
                    push.get();
                    taken++;
                } catch (ExecutionException e) {
                    assertThat(e.getCause()).isInstanceOf(AnepException.class).hasMessageContaining("EE-657");
                }
            }
            assertThat(taken).isEqualTo(3);
            assertThat(repos.get(0).services()).hasSize(3);
        } finally {
            pool.shutdown();
            repos.forEach(Repo::close);
        }
    }
}
