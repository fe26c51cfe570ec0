package org.tamanoir.node.deploy.tuf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;
import org.tamanoir.tuf.ServiceTarget;
import org.tamanoir.tuf.format.Hashes;
import org.tamanoir.tuf.format.RoleName;
import org.tamanoir.tuf.testing.Signers;
import org.tamanoir.tuf.testing.TestRepository;

/** A follower with a server in this process; the time is the test's. */
class MetadataFollowerTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    @TempDir
    private Path directory;
    private final TestRepository repository = new TestRepository(Instant.now());
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<List<ServiceTarget>> told = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private MetadataFollower follower;
    private volatile Duration ahead = Duration.ZERO;

    @BeforeEach
    void start() {
        repository.delegate(RoleName.TARGETS, "grid", Signers.ed25519(), "meter/*");
        server = HttpServer.at(new InetSocketAddress("127.0.0.1", 0)).name("metadata").route(Route.of("GET", "/tuf/{file}", request -> answer(request.parameter("file")))).start();
    }

    private Response answer(String file) {
        asked.add(file);
        byte[] octets = repository.files().get(file);
        if (octets == null) {
            throw new AnepException(ErrorCode.NOT_FOUND, file);
        }
        return Response.bytes(200, "application/json", octets).etag(Hashes.sha256(octets));
    }

    @AfterEach
    void stop() {
        if (follower != null) {
            follower.close();
        }
        server.close();
    }

    private MetadataFollower follow() {
        follower = new MetadataFollower(List.of(server.url()), repository.firstRoot(), directory.resolve("state"), TIMEOUT, null, () -> Instant.now().plus(ahead), told::add,
                new PollTimes(new SplittableRandom(7), 100)).start();
        follower.awaitFirst();
        return follower;
    }

    private void publish(String version, int typeId) {
        byte[] content = version.getBytes(StandardCharsets.UTF_8);
        ServiceTarget target = new ServiceTarget("meter", version, typeId, "middle", Hashes.sha256(content), content.length);
        repository.change("grid", draft -> draft.target(target.path(), target.size(), target.sha256(), target.custom()));
    }

    @Test
    void tellsWhatThereIsAndAsksForLittleWhenNothingHasChanged() {
        publish("1.0.0", 0x5501);
        follow();
        assertThat(follower.current().versions(0x5501, Instant.now())).extracting(ServiceTarget::version).containsExactly("1.0.0");
        assertThat(asked).containsExactly("timestamp.json", "2.root.json", "3.snapshot.json", "2.targets.json", "1.grid.json");
        asked.clear();
        await().atMost(Duration.ofSeconds(8)).until(() -> asked.size() >= 2);
        assertThat(asked).containsOnly("timestamp.json");
        publish("2.0.0", 0x5501);
        asked.clear();
        await().atMost(Duration.ofSeconds(8)).until(() -> follower.current().versions(0x5501, Instant.now()).size() == 2);
        assertThat(asked).contains("timestamp.json", "2.root.json", "4.snapshot.json", "2.grid.json").doesNotContain("2.targets.json");
        assertThat(told).hasSize(2);
        assertThat(follower.problem()).isNull();
    }

    /** A clock that is an hour wrong is no matter; one that is a day ahead says so, and comes back. */
    @Test
    void worksWithAClockThatIsAnHourWrong() {
        publish("1.0.0", 0x5501);
        ahead = Duration.ofHours(1);
        assertThat(follow().current().all()).hasSize(1);
        ahead = Duration.ofHours(-1);
        assertThat(follower.current().all()).hasSize(1);
        ahead = Duration.ofHours(25);
        assertThatThrownBy(() -> follower.current()).hasMessageStartingWith("EE-423").hasMessageContaining("or this clock is wrong");
        assertThat(follower.problem()).startsWith("EE-423");
        assertThat(follower.known().all()).hasSize(1);
        ahead = Duration.ZERO;
        assertThat(follower.current().all()).hasSize(1);
        // Metadata of tomorrow: nothing in it says when it was signed, so a clock that is behind costs nothing but a longer freeze.
        ahead = Duration.ofHours(-30);
        publish("2.0.0", 0x5501);
        await().atMost(Duration.ofSeconds(8)).until(() -> follower.current().all().size() == 2);
    }

    @Test
    void knowsAfterARestartWhatItKnewWhenNobodyAnswers() {
        publish("1.0.0", 0x5501);
        follow().close();
        server.close();
        follow();
        assertThat(follower.current().all()).hasSize(1);
        // That nobody answers is no matter until something expires.
        assertThat(follower.problem()).isNull();
        assertThat(follower.expiries()).containsOnlyKeys("root", "timestamp", "snapshot", "targets", "grid");
        ahead = Duration.ofDays(2);
        assertThat(follower.problem()).startsWith("EE-423");
    }

    /** What is not on the disk is not used: it would be forgotten at the next start. */
    @Test
    void usesNothingThatItCannotKeep() throws IOException {
        publish("1.0.0", 0x5501);
        Files.writeString(directory.resolve("state.part"), "in the way");
        follow();
        assertThatThrownBy(() -> follower.current()).hasMessageStartingWith("EE-409");
        assertThat(follower.problem()).startsWith("EE-409");
        Files.delete(directory.resolve("state.part"));
        await().atMost(Duration.ofSeconds(15)).untilAsserted(() -> assertThat(follower.problem()).isNull());
    }

    /** One publisher's metadata that is of no use costs the services of that publisher, until the next time. */
    @Test
    void losesNoMoreThanOnePublisher() {
        repository.delegate(RoleName.TARGETS, "other", Signers.ed25519(), "other/*");
        publish("1.0.0", 0x5501);
        repository.change("other", draft -> draft.target("other/1.0.0.jar", 3, "0".repeat(64), Map.of("type-id", 0x5502L, "level", "middle")));
        repository.change("other", draft -> draft.expires(Instant.now().minusSeconds(1)));
        follow();
        assertThat(follower.current().all()).extracting(ServiceTarget::name).containsExactly("meter");
        assertThat(follower.current().have("other", 0)).as("its names stay its own").isTrue();
        repository.change("other", draft -> draft.expires(Instant.now().plusSeconds(1_000)));
        await().atMost(Duration.ofSeconds(8)).until(() -> follower.current().all().size() == 2);
    }

    /** Keys that are taken away have said nothing: from the moment in which the root is known. */
    @Test
    void forgetsWhatAKeySaidThatWasTakenAway() {
        publish("1.0.0", 0x5501);
        follow();
        repository.rotate(RoleName.TARGETS);
        repository.timestamp();
        await().atMost(Duration.ofSeconds(8)).untilAsserted(() -> assertThatThrownBy(() -> follower.current()).hasMessageStartingWith("EE-4"));
        assertThat(follower.problem()).startsWith("EE-42");
        repository.change(RoleName.TARGETS, draft -> { });
        await().atMost(Duration.ofSeconds(15)).until(() -> follower.problem() == null && follower.current().all().size() == 1);
    }
}
