package org.tamanoir.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.oci.FakeRegistry.status;
import static org.tamanoir.oci.Registries.failure;

import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.anep.ErrorCode;

/** What a registry wants to see it gets, and nobody else. */
@Tag("long")
@Timeout(60)
class CredentialsAreForTheRegistryTest {
    private static final byte[] BLOB = Registries.octets(10_000, 3);
    private static final String BASIC = "Basic " + Base64.getEncoder().encodeToString("tester:secret".getBytes(StandardCharsets.UTF_8));

    @TempDir
    private Path directory;
    private FakeRegistry fake;
    private String sha256;
    private final AtomicLong nanos = new AtomicLong();
    private Registry registry;

    @BeforeEach
    void start() throws IOException {
        fake = new FakeRegistry();
        sha256 = fake.put(BLOB);
        login("\"auth\":\"" + BASIC.substring(6) + "\"");
    }

    @AfterEach
    void stop() {
        fake.close();
    }

    private void login(String entry) throws IOException {
        Path file = Files.writeString(directory.resolve("config.json"), "{\"auths\":{\"" + fake.host() + "\":{" + entry + "}}}");
        Registry.Settings settings = Registries.impatient();
        registry = new Registry(new Registry.Settings(file, null, settings.time(), settings.silence(), nanos::get));
    }

    private void fetch() {
        registry.fetch(fake.location(), sha256, BLOB.length, directory.resolve("fetched"));
    }

    /** A registry that wants this header, and says so with that challenge. */
    private HttpHandler wants(String header, String challenge) {
        return exchange -> {
            if (header.equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                fake.answer(exchange);
            } else {
                status(401, "{\"errors\":[{\"code\":\"UNAUTHORIZED\",\"message\":\"authentication required\"}]}", "WWW-Authenticate", challenge).handle(exchange);
            }
        };
    }

    private String bearer() {
        return "Bearer realm=\"http://" + fake.host() + "/token?x=1\",service=\"the registry\",scope=\"repository:grid/meter:pull\"";
    }

    @Test
    void nothingIsShownToWhoDoesNotAsk() {
        fetch();
        assertThat(fake.shown).containsExactly("");
    }

    @Test
    void aPasswordIsShownWhenItIsAskedForAndFromThenOn() {
        fake.lie("GET .*/blobs/.*", wants(BASIC, "Basic realm=\"registry\""));
        fetch();
        fetch();
        assertThat(fake.shown).containsExactly("", BASIC, BASIC);
    }

    @Test
    void aWrongPasswordIsSaidOnce() {
        fake.lie("GET .*/blobs/.*", wants("Basic other", "Basic realm=\"registry\""));
        assertThat(failure(ErrorCode.REGISTRY_DENIES, this::fetch)).hasMessageContaining("401: UNAUTHORIZED authentication required");
        assertThat(fake.requests).hasSize(2);
    }

    @Test
    void withoutCredentialsItIsSaidWhatIsMissing() {
        registry = new Registry(Registries.impatient());
        fake.lie("GET .*/blobs/.*", wants(BASIC, "Basic realm=\"registry\""));
        assertThat(failure(ErrorCode.REGISTRY_DENIES, this::fetch)).hasMessageContaining("there are none for it");
    }

    @Test
    void aTokenIsFetchedForAPasswordAndUsedUntilItExpires() {
        AtomicInteger tokens = new AtomicInteger();
        // Whatever it says of the time when it was made: clocks need not agree.
        fake.lie("GET /token.*", exchange -> status(200, "{\"token\":\"t" + tokens.incrementAndGet() + "\",\"expires_in\":300,\"issued_at\":\"2001-01-01T00:00:00Z\"}").handle(exchange));
        fake.lie("GET .*/blobs/.*", exchange -> wants("Bearer t" + tokens.get(), bearer()).handle(exchange));
        fetch();
        fetch();
        assertThat(fake.requests.get(1)).isEqualTo("GET /token?x=1&service=the+registry&scope=repository%3Agrid%2Fmeter%3Apull");
        assertThat(fake.shown).containsExactly("", BASIC, "Bearer t1", "Bearer t1");
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(294));
        fetch();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        fetch();
        assertThat(fake.shown.subList(4, 8)).containsExactly("Bearer t1", "", BASIC, "Bearer t2");
        // One that the registry takes no more is fetched anew, whatever it said.
        tokens.incrementAndGet();
        fetch();
        assertThat(fake.shown.subList(8, 11)).containsExactly("Bearer t2", BASIC, "Bearer t4");
    }

    @Test
    void withoutCredentialsATokenIsAskedForAllTheSame() {
        registry = new Registry(Registries.impatient());
        fake.lie("GET /token.*", status(200, "{\"access_token\":\"anybody\"}"));
        fake.lie("GET .*/blobs/.*", wants("Bearer anybody", bearer()));
        fetch();
        assertThat(fake.shown).containsExactly("", "", "Bearer anybody");
    }

    @Test
    void anIdentityTokenIsExchanged() throws Exception {
        login("\"identitytoken\":\"id&token\"");
        fake.lie("POST /token.*", exchange -> {
            String form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(form).contains("grant_type=refresh_token", "refresh_token=id%26token", "scope=repository");
            status(200, "{\"access_token\":\"exchanged\"}").handle(exchange);
        });
        fake.lie("GET .*/blobs/.*", wants("Bearer exchanged", bearer()));
        fetch();
        login("\"registrytoken\":\"direct\"");
        fake.lie("GET .*/blobs/.*", wants("Bearer direct", bearer()));
        fetch();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "", "[]", "{\"token\":\"\"}", "{\"token\":\"a\\r\\nX-Forged: 1\"}", "{\"token\":\"a b\"}", "{\"token\":7}x", "<html>"})
    void aTokenServiceThatGivesNoTokenIsSaid(String answer) {
        fake.lie("GET /token.*", status(200, answer));
        fake.lie("GET .*/blobs/.*", wants("Bearer t", bearer()));
        failure(ErrorCode.REGISTRY_ANSWER, this::fetch);
    }

    @Test
    void aTokenServiceMayRefuseOrBeAwayOrEndless() {
        fake.lie("GET .*/blobs/.*", wants("Bearer t", bearer()));
        fake.lie("GET /token.*", status(401, "{\"details\":\"incorrect username or password\"}"));
        assertThat(failure(ErrorCode.REGISTRY_DENIES, this::fetch)).hasMessageContaining("token service").hasMessageContaining("incorrect username");
        fake.lie("GET /token.*", status(503, ""));
        failure(ErrorCode.REGISTRY_AWAY, this::fetch);
        fake.lie("GET /token.*", status(200, "{\"token\":\"" + "x".repeat(100_000) + "\"}"));
        failure(ErrorCode.REGISTRY_ANSWER, this::fetch);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://auth.example/token", "file:///etc/passwd", "/token", "http://user@auth.example/", "::", "mailto:x"})
    void aTokenServiceThatMustNotBeAskedIsNotAsked(String realm) {
        fake.lie("GET .*/blobs/.*", wants("Bearer t", "Bearer realm=\"" + realm + "\""));
        failure(ErrorCode.REGISTRY_ANSWER, this::fetch);
        assertThat(fake.requests).hasSize(1);
    }

    @Test
    void anotherHostSeesNoCredentialsAndCannotAskForThem() throws Exception {
        try (FakeRegistry store = new FakeRegistry()) {
            store.put(BLOB);
            fake.lie("GET .*/blobs/.*", exchange -> {
                if (BASIC.equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                    status(307, "", "Location", "http://" + store.host() + "/store/blobs/sha256:" + sha256 + "?signature=x").handle(exchange);
                } else {
                    wants(BASIC, "Basic realm=\"registry\"").handle(exchange);
                }
            });
            fetch();
            assertThat(fake.shown).containsExactly("", BASIC);
            assertThat(store.shown).containsExactly("");

            store.lie(".*", status(401, "{\"errors\":[{\"message\":\"inner words\"}]}", "WWW-Authenticate", "Basic realm=\"store\""));
            assertThat(failure(ErrorCode.REGISTRY_DENIES, this::fetch).getMessage()).doesNotContain("inner words");
            store.lie(".*", status(401, "", "WWW-Authenticate", "Bearer realm=\"http://" + store.host() + "/token\""));
            failure(ErrorCode.REGISTRY_DENIES, this::fetch);
            assertThat(store.shown).containsOnly("");
        }
    }

    @Test
    void theSameHostOnAnotherPortIsAnotherHost() throws Exception {
        try (FakeRegistry other = new FakeRegistry()) {
            registry.has(other.location(), sha256, BLOB.length);
            other.lie(".*", wants(BASIC, "Basic realm=\"registry\""));
            failure(ErrorCode.REGISTRY_DENIES, () -> registry.has(other.location(), sha256, BLOB.length));
            assertThat(other.shown).containsOnly("");
        }
    }

    @Test
    void changedCredentialsCountAtTheNextAttempt() throws Exception {
        fake.lie("GET .*/blobs/.*", wants(BASIC, "Basic realm=\"registry\""));
        Path file = directory.resolve("config.json");
        String good = Files.readString(file);
        Files.writeString(file, "{\"auths\":{}}");
        failure(ErrorCode.REGISTRY_DENIES, this::fetch);
        Files.writeString(file, good);
        fetch();
    }

    @Test
    void pushingAsksForMoreThanFetching() throws Exception {
        fake.lie("GET /token.*push.*", status(200, "{\"token\":\"writer\"}"));
        fake.lie("(HEAD|PUT|POST) .*", wants("Bearer writer", "Bearer realm=\"http://" + fake.host() + "/token\""));
        Path file = Files.write(directory.resolve("bundle"), BLOB);
        registry.push(fake.location(), new BundleManifest("1.0.0", "meter.jar", sha256, BLOB.length, Map.of()), file);
        assertThat(fake.requests.stream().filter(each -> each.startsWith("GET /token"))).containsExactly("GET /token?scope=repository%3Agrid%2Fmeter%3Apull%2Cpush");
    }
}
