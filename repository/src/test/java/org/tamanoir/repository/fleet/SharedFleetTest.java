package org.tamanoir.repository.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.report.Health;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.fleet.rollout.FleetCore.Wish;
import org.tamanoir.fleet.rollout.FleetRecord;
import org.tamanoir.fleet.rollout.NodeStanding;
import org.tamanoir.fleet.rollout.NodeStanding.State;
import org.tamanoir.fleet.rollout.RolloutState.Phase;
import org.tamanoir.repository.Databases;
import org.tamanoir.repository.fleet.FleetStore.Said;

/** Several processes lead one fleet that is in a database. Each is a server with a store of its own here. */
class SharedFleetTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    @TempDir
    private Path data;
    private final String url = Databases.fresh();
    private final List<FleetServer> servers = new ArrayList<>();

    @AfterEach
    void stop() {
        servers.forEach(FleetServer::close);
    }

    private FleetServer server() {
        FleetServer server = new FleetServer(FleetPlace.postgresql(url), InstantSource.system(), () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
        servers.add(server);
        return server;
    }

    private static Wish wish(String drain, Long base) throws Exception {
        JsonNode state = new YAMLMapper().readTree("{fleet: {nodes: {a: {}, b: {}, c: {}}, rings: [{name: one, nodes: [a, b]}, {name: two}], rollout: {soak: 1s}}, "
                + "groups: {}, nodes: {a: {drain: " + drain + "}, b: {drain: " + drain + "}, c: {drain: " + drain + "}}}");
        return new Wish(state, base, "ada", "", false);
    }

    private static FleetRecord record(FleetServer fleet) {
        return fleet.look(core -> core.record());
    }

    private static long generation(FleetServer fleet) {
        return fleet.<Long>lookNow(core -> core.record().generation());
    }

    private static String tag(FleetServer fleet) {
        return fleet.lookNow(core -> core.answer("a").tag());
    }

    private static List<NodeStanding> standings(FleetServer fleet) {
        return fleet.look(core -> core.standings(fleet.millis()));
    }

    /** A node has what it is to have, and says so to one of the processes. */
    private static void has(FleetServer fleet, String node, String status) {
        String sha256 = fleet.look(core -> core.assigned(node).sha256());
        fleet.report(node, new NodeReport(1, sha256, null, new Health(status, List.of(), 0, 0), List.of(), List.of(), "1"));
    }

    private static void awaitKnown(FleetServer fleet, long generation) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> record(fleet).generation() == generation);
    }

    @Test
    @Tag("long")
    void aRollOutGoesOnWhoeverHearsWhichNode() throws Exception {
        FleetServer one = server();
        FleetServer two = server();
        FleetServer three = server();
        assertThat(one.apply(wish("1s", 0L))).isTrue();
        awaitKnown(two, 1);
        awaitKnown(three, 1);
        has(two, "a", "ok");
        assertThatThrownBy(() -> three.answer("c")).hasMessageContaining("its ring has not begun");
        one.close();
        has(three, "b", "ok");
        await().atMost(PATIENCE).until(() -> record(two).rollout().ring() == 1 && record(three).rollout().ring() == 1);
        has(three, "c", "degraded");
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(500)).until(() -> {
            has(two, "c", "ok");
            return record(two).rollout().phase() == Phase.DONE;
        });
        FleetServer later = server();
        assertThat(record(later).rollout().phase()).isEqualTo(Phase.DONE);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(standings(later)).as("what others have heard").allMatch(each -> each.state() == State.HAS));
    }

    @Test
    @Tag("long")
    void theSecondOfTwoOperatorsIsToldWhicheverProcessEachHasAsked() throws Exception {
        FleetServer one = server();
        FleetServer two = server();
        one.apply(wish("1s", 0L));
        assertThatThrownBy(() -> two.apply(wish("2s", 0L))).as("at once, and not in half a second").hasMessageStartingWith("EE-641").hasMessageContaining("of ada");
        assertThat(two.apply(wish("2s", 1L))).isTrue();
        assertThat(generation(one)).isEqualTo(2);
        assertThat(one.generation(1).state()).isEqualTo(wish("1s", 0L).state());
        assertThat(one.rollback(1, new Wish(null, 2L, "eve", "", true))).isTrue();
        assertThat(tag(two)).isEqualTo(tag(one));
    }

    @Test
    void ofManyChangesAtOnceAtSeveralProcessesEachHasAGenerationOfItsOwnOrIsRefused() throws Exception {
        List<FleetServer> all = List.of(server(), server(), server());
        ExecutorService operators = Executors.newFixedThreadPool(6);
        try {
            List<Future<Integer>> taken = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                int operator = i;
                taken.add(operators.submit(() -> {
                    int done = 0;
                    for (int attempt = 0; attempt < 10; attempt++) {
                        FleetServer at = all.get((operator + attempt) % 3);
                        long base = generation(at);
                        try {
                            done += at.apply(wish(1000 + operator * 100 + attempt + "s", base)) ? 1 : 0;
                        } catch (AnepException e) {
                            assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.FLEET_CHANGED);
                        }
                    }
                    return done;
                }));
            }
            int done = 0;
            for (Future<Integer> each : taken) {
                done += each.get(60, TimeUnit.SECONDS);
            }
            assertThat(done).isGreaterThan(6);
            for (FleetServer each : all) {
                assertThat(generation(each)).isEqualTo(done);
            }
            Set<String> digests = new HashSet<>();
            all.get(0).history().forEach(head -> digests.add(head.sha256()));
            assertThat(digests).as("each that was acknowledged is there").hasSize(done);
        } finally {
            operators.shutdownNow();
        }
    }

    @Test
    @Tag("long")
    void reportsAreTakenOnceAndTheLatestCounts() throws Exception {
        NodeReport report = new NodeReport(1, "x", null, new Health("ok", List.of(), 0, 0), List.of(), List.of(), "1");
        NodeReport later = new NodeReport(2, "x", null, new Health("ok", List.of(), 0, 0), List.of(), List.of(), "1");
        try (FleetStore one = FleetPlace.postgresql(url); FleetStore two = FleetPlace.postgresql(url)) {
            assertThat(one.exchange(List.of(new Said("a", later, 100), new Said("b", report, 0)))).isEmpty();
            assertThat(two.exchange(List.of(new Said("a", report, 5_000)))).extracting(Said::node).containsExactlyInAnyOrder("a", "b");
            assertThat(two.exchange(List.of())).isEmpty();
            assertThat(one.exchange(List.of())).as("what it knows better").isEmpty();
            try (FleetStore three = FleetPlace.postgresql(url)) {
                assertThat(three.exchange(List.of())).filteredOn(each -> each.node().equals("a")).singleElement().satisfies(each -> {
                    assertThat(each.report()).isEqualTo(later);
                    assertThat(each.ageMillis()).isGreaterThanOrEqualTo(100L);
                });
            }
            Databases.run(url, "DELETE FROM fleet_report");
            one.exchange(List.of(new Said("c", report, 0)));
            assertThat(two.exchange(List.of())).as("also where they are counted anew").extracting(Said::node).containsExactly("c");
        }
    }

    @Test
    void aBackupThatWasRestoredIsNotTakenForWhatWasThere() throws Exception {
        FleetServer one = server();
        one.apply(wish("1s", 0L));
        Databases.run(url, "CREATE TABLE backup AS SELECT document FROM fleet_record");
        one.apply(wish("2s", 1L));
        // As after a backup was restored and another process has changed it since.
        Databases.run(url, "UPDATE fleet_record SET mark = gen_random_uuid(), document = (SELECT document FROM backup)", "DELETE FROM fleet_generation WHERE number = 2");
        await().atMost(PATIENCE).until(() -> record(one).generation() == 1);
        assertThat(one.apply(wish("3s", 1L))).isTrue();
        assertThat(one.answer("a").json()).asString().contains("3s");
    }

    @Test
    @Tag("long")
    void aFleetOfADirectoryComesAlong() throws Exception {
        try (FleetServer old = new FleetServer(FleetDirectory.open(data.resolve("fleet")), InstantSource.system(), System::nanoTime)) {
            old.apply(wish("1s", 0L));
            old.apply(wish("2s", 1L));
        }
        FleetDirectory directory = FleetDirectory.open(data.resolve("fleet"));
        FleetPlace.imported(url, directory);
        FleetPlace.imported(url, directory);
        FleetServer one = server();
        assertThat(record(one)).isEqualTo(directory.read());
        assertThat(one.history()).isEqualTo(directory.history());
        one.apply(wish("3s", 2L));
        FleetPlace.imported(url, directory);
        assertThat(generation(one)).isEqualTo(3);
        String other = Databases.fresh();
        try (FleetStore store = FleetPlace.postgresql(other)) {
            FleetStoreTest.fill(store, 1);
            assertThatExceptionOfType(AnepException.class).isThrownBy(() -> FleetPlace.imported(other, directory)).withMessageStartingWith("EE-641");
            assertThat(store.read().assigned()).isEqualTo(Map.of("a", 1L));
        }
    }
}
