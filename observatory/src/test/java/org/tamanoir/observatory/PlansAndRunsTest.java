package org.tamanoir.observatory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.paths.wire.BookedRun;
import org.tamanoir.paths.wire.Peer;
import org.tamanoir.paths.wire.TheodolitePlan;

/** What theodolites are told. */
@Timeout(120)
class PlansAndRunsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;
    private ObservatoryServer server;
    private Client client;

    @BeforeEach
    void start() {
        server = ObservatoryServer.start(ObservatorySettings.of(new InetSocketAddress("127.0.0.1", 0), directory.resolve("data")));
        client = new Client(server.url(), null);
        assertThat(client.ask("PUT", "/v1/documents/topology", Grid.TOPOLOGY).status()).isEqualTo(200);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void register(List<String> names) {
        names.forEach(name -> assertThat(client.ask("PUT", "/v1/theodolites/" + name, Grid.registration(name)).status()).isEqualTo(204));
    }

    private JsonNode put(String plan) throws Exception {
        Client.Answer answer = client.ask("PUT", "/v1/documents/plan", plan);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private TheodolitePlan plan(String name) {
        return TheodolitePlan.parse(client.get("/v1/plan?theodolite=" + name).body());
    }

    /** Wrong: one that has to ask again to know, one that is woken for nothing, and a poll that holds a thread. */
    @Test
    void aSixthJoinsInTheDatabaseOnlyAndWhoWaitsKnowsAtOnce() throws Exception {
        List<String> six = new ArrayList<>(Grid.FIVE);
        six.add("virgopi");
        assertThat(put(Grid.plan(six, Grid.FIVE, "")).path("sessions").asInt()).isEqualTo(20);
        register(six);
        assertThat(plan("med").sessions()).hasSize(4);
        assertThat(plan("virgopi").sessions()).isEmpty();
        assertThat(plan("med").sessions().get(0).peer()).isEqualTo(new Peer("astro", "se.astro.example", "se.astro.example:4322", "se.astro.example:4862"));

        List<CompletableFuture<Client.Answer>> waiting = new ArrayList<>();
        for (String name : six) {
            String tag = client.get("/v1/plan?theodolite=" + name).tag();
            waiting.add(client.later("GET", "/v1/plan?wait=60&theodolite=" + name, null, "If-None-Match", tag));
        }
        await().atMost(PATIENCE).until(() -> server.observatory().waiting() == 6);
        // The same sessions: another version, and nobody wakes.
        assertThat(put(Grid.plan(six, Grid.FIVE, "") + "# said again\n").path("version").asInt()).isEqualTo(2);
        assertThat(server.observatory().waiting()).isEqualTo(6);
        assertThat(put(Grid.plan(six, six, "")).path("sessions").asInt()).isEqualTo(30);
        for (CompletableFuture<Client.Answer> each : waiting) {
            TheodolitePlan now = TheodolitePlan.parse(each.join().body());
            assertThat(now.version()).isEqualTo(3);
            assertThat(now.sessions()).hasSize(5);
        }
        String tag = client.get("/v1/plan?theodolite=med").tag();
        assertThat(client.ask("GET", "/v1/plan?wait=0.3&theodolite=med", null, "If-None-Match", tag).status()).isEqualTo(304);
    }

    @Test
    void versionsAreKeptAndOneThatIsNoGoodChangesNothing() throws Exception {
        put(Grid.plan(Grid.FIVE, Grid.FIVE, ""));
        register(Grid.FIVE);
        Client.Answer bad = client.ask("PUT", "/v1/documents/plan", Grid.plan(Grid.FIVE, List.of("astro", "mars"), ""));
        assertThat(bad.status()).isEqualTo(422);
        assertThat(bad.error()).isEqualTo("EE-780 groups.all.mesh: there is no theodolite 'mars'");
        assertThat(plan("astro").version()).isEqualTo(1);
        assertThat(client.ask("PUT", "/v1/documents/plan", Grid.plan(Grid.FIVE, List.of("astro", "med"), ""), "If-Match", "\"7\"").error()).startsWith("EE-413");
        put(Grid.plan(Grid.FIVE, List.of("astro", "med"), ""));
        // The text of the current one is no new version.
        assertThat(put(Grid.plan(Grid.FIVE, List.of("astro", "med"), "")).path("version").asInt()).isEqualTo(2);
        assertThat(client.get("/v1/documents/plan/history").json()).hasSize(2);
        assertThat(client.get("/v1/documents/plan?version=1").body()).isEqualTo(Grid.plan(Grid.FIVE, Grid.FIVE, ""));
        assertThat(client.get("/v1/documents/plan?version=9").status()).isEqualTo(404);
        assertThat(client.ask("PUT", "/v1/documents/topology", "domains: {a: {}}\nrules: [{suffix: x, domain: b}]\n").error()).startsWith("EE-780");
        assertThat(client.get("/v1/documents/topology").body()).isEqualTo(Grid.TOPOLOGY);
    }

    /** Wrong: two at once at one theodolite, a receiver that does not know the token, and a run that never ends. */
    @Test
    @Tag("long")
    void aTestThatFillsThePathHasItsSlotAtBothEnds() throws Exception {
        put(Grid.plan(Grid.FIVE, List.of("astro", "med"), "  flow: {group: all, test: flow, schedule: now}\n"));
        register(Grid.FIVE);
        for (int round = 0; round < 3; round++) {
            BookedRun sends = next("astro", "med");
            BookedRun receives = BookedRun.parse(client.get("/v1/runs?theodolite=" + sends.peer().name()).body()).get(0);
            assertThat(receives.isSender()).isFalse();
            assertThat(List.of(receives.number(), receives.token(), receives.session())).isEqualTo(List.of(sends.number(), sends.token(), sends.session()));
            assertThat(sends.token()).hasSize(32);
            assertThat(sends.streams()).isEqualTo(2);
            String report = round == 1 ? "{\"theodolite\":\"" + receives.peer().name() + "\",\"done\":false,\"why\":\"no way\"}" : "{\"theodolite\":\"" + receives.peer().name() + "\",\"done\":true}";
            assertThat(client.ask("POST", "/v1/runs/" + sends.number(), "{\"theodolite\":\"" + sends.peer().name() + "\",\"done\":true}").error()).startsWith("EE-782");
            assertThat(client.ask("POST", "/v1/runs/" + sends.number(), report).status()).isEqualTo(204);
            // Said again, since the answer was lost.
            assertThat(client.ask("POST", "/v1/runs/" + sends.number(), report).status()).isEqualTo(204);
        }
        assertThat(client.ask("POST", "/v1/runs/17", "{\"theodolite\":\"astro\",\"done\":true}").status()).isEqualTo(404);
        List<String> states = new ArrayList<>();
        client.get("/v1/agenda").json().path("past").forEach(run -> states.add(run.path("state").asText()));
        assertThat(states).contains("done", "failed");
        assertThat(client.get("/v1/agenda").json().path("load").path("theodolite med").asDouble()).isEqualTo(1.5);
    }

    /** The next run that has one of them as its sender. */
    private BookedRun next(String... names) {
        List<BookedRun> found = new ArrayList<>();
        await().atMost(PATIENCE).until(() -> {
            for (String name : names) {
                BookedRun.parse(client.get("/v1/runs?theodolite=" + name).body()).stream().filter(BookedRun::isSender).forEach(found::add);
            }
            return !found.isEmpty();
        });
        assertThat(found).as("no two share a theodolite").hasSize(1);
        return found.get(0);
    }

    @Test
    void aRunIsAskedForAndOneToATheodoliteThatIsAwayFails() throws Exception {
        put(Grid.plan(Grid.FIVE, List.of("astro", "med"), "  asked: {group: all, test: flow}\n"));
        register(List.of("astro"));
        assertThat(client.ask("POST", "/v1/agenda", "{\"session\":\"asked/be/astro/mars\"}").status()).isEqualTo(404);
        assertThat(client.ask("POST", "/v1/agenda", "{\"session\":\"asked/be/astro/med\"}").json().path("state").asText()).isEqualTo("future");
        await().atMost(PATIENCE).until(() -> client.get("/v1/agenda").json().path("past").path(0).path("reason").asText().contains("med has not asked for its runs"));
        register(List.of("med"));
        client.ask("POST", "/v1/agenda", "{\"session\":\"ping/be/med/astro\",\"within\":60}");
        assertThat(next("med").session()).isEqualTo("ping/be/med/astro");
        assertThat(BookedRun.parse(client.get("/v1/runs?theodolite=astro").body())).isEmpty();
    }
}
