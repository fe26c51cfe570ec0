package org.tamanoir.repository.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.report.Health;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.fleet.rollout.FleetCore.Wish;
import org.tamanoir.fleet.rollout.FleetRecord;
import org.tamanoir.fleet.rollout.Generation;
import org.tamanoir.fleet.rollout.RolloutState.Phase;

class FleetServerTest {
    private static final Instant NOON = Instant.parse("2026-11-27T12:00:00Z");
    @TempDir
    private Path data;
    private final AtomicReference<Instant> clock = new AtomicReference<>(NOON);
    private final AtomicLong millis = new AtomicLong();

    private static Wish wish(String drain, Long base) throws Exception {
        JsonNode state = new YAMLMapper().readTree("{fleet: {nodes: {a: {}, b: {}}, rings: [{name: one, nodes: [a]}, {name: two}], rollout: {soak: 60s}}, nodes: {a: {drain: "
                + drain + "}, b: {drain: " + drain + "}}}");
        return new Wish(state, base, "ada", "", false);
    }

    private static void has(FleetServer fleet) {
        String sha256 = fleet.look(core -> core.assigned("a").sha256());
        fleet.report("a", new NodeReport(1, sha256, null, new Health("ok", List.of(), 0, 0), List.of(), List.of(), "1"));
    }

    private static FleetRecord record(FleetServer fleet) {
        return fleet.look(core -> core.record());
    }

    private static int ring(FleetServer fleet) {
        return record(fleet).rollout().ring();
    }

    /** It is for people alone: what is decided goes by the other clock. */
    @Test
    @Tag("long")
    void aClockThatIsAnHourOffAndIsSetHastensAndDelaysNothing() throws Exception {
        try (FleetServer fleet = new FleetServer(FleetDirectory.open(data.resolve("fleet")), clock::get, millis::get)) {
            fleet.apply(wish("1s", 0L));
            has(fleet);
            for (Duration off : List.of(Duration.ofHours(1), Duration.ofHours(-1))) {
                clock.set(NOON.plus(off));
                millis.addAndGet(29_000);
                Thread.sleep(1_200);
                assertThat(ring(fleet)).isZero();
            }
            millis.addAndGet(2_000);
            await().until(() -> ring(fleet) == 1);
            assertThat(record(fleet).rollout().since()).isEqualTo("2026-11-27T11:00:00Z");
        }
    }

    /** A store that takes nothing for a while, or that another process has written to. */
    private static final class Moody implements FleetStore {
        private final FleetStore store;
        private volatile ErrorCode mood;
        private volatile boolean isAway;
        /** Commits that come behind one of another process. */
        private volatile int late;

        Moody(FleetStore store) {
            this.store = store;
        }

        @Override
        public FleetRecord read() {
            return store.read();
        }

        @Override
        public void commit(FleetRecord next, Generation added) {
            if (mood != null) {
                throw new AnepException(mood, "not now");
            }
            if (late > 0) {
                late--;
                throw new AnepException(ErrorCode.FLEET_CHANGED, "plan again");
            }
            store.commit(next, added);
        }

        @Override
        public Generation generation(long number) {
            return store.generation(number);
        }

        @Override
        public List<Generation.Head> history() {
            return store.history();
        }

        @Override
        public boolean hasChanged(FleetRecord known) {
            return store.hasChanged(known);
        }

        @Override
        public List<Said> exchange(List<Said> here) {
            if (isAway) {
                throw new AnepException(ErrorCode.DATABASE_AWAY, "not now");
            }
            return store.exchange(here);
        }

        @Override
        public void close() {
            store.close();
        }
    }

    @Test
    @Tag("long")
    void whatIsNotKeptHasNotHappenedAndIsTriedAgain() throws Exception {
        Moody store = new Moody(FleetDirectory.open(data.resolve("fleet")));
        try (FleetServer fleet = new FleetServer(store, clock::get, millis::get)) {
            fleet.apply(wish("1s", 0L));
            has(fleet);
            store.mood = ErrorCode.STORAGE;
            assertThatThrownBy(() -> fleet.apply(wish("2s", 1L))).hasMessageStartingWith("EE-409");
            assertThat(record(fleet).generation()).isEqualTo(1);
            millis.addAndGet(31_000);
            has(fleet);
            millis.addAndGet(30_000);
            Thread.sleep(1_200);
            assertThat(ring(fleet)).as("the next ring does not begin before that is on the disk").isZero();
            store.mood = null;
            await().until(() -> ring(fleet) == 1);
        }
    }

    /** The other one has done the next step of the roll-out: what the plan was made against is as it was. */
    @Test
    void aPlanStandsThoughAnotherProcessWasFirst() throws Exception {
        Moody store = new Moody(FleetDirectory.open(data.resolve("fleet")));
        try (FleetServer fleet = new FleetServer(store, clock::get, millis::get)) {
            fleet.apply(wish("1s", 0L));
            store.late = 2;
            assertThat(fleet.apply(wish("2s", 1L))).isTrue();
            assertThat(record(fleet).generation()).isEqualTo(2);
            store.late = 100;
            assertThatThrownBy(() -> fleet.apply(wish("3s", 2L))).as("it does not try for ever").hasMessageStartingWith("EE-641");
        }
    }

    /** What was said to others meanwhile comes later: nobody is taken for silent before that. */
    @Test
    @Tag("sweep")
    void whoWasCutOffStopsNoRollOutForTheSilenceOfThatTime() throws Exception {
        Moody store = new Moody(FleetDirectory.open(data.resolve("fleet")));
        try (FleetServer fleet = new FleetServer(store, clock::get, millis::get)) {
            fleet.apply(wish("1s", 0L));
            has(fleet);
            store.isAway = true;
            Thread.sleep(7_000);
            millis.addAndGet(70_000);
            store.isAway = false;
            Thread.sleep(2_000);
            assertThat(record(fleet).rollout().phase()).isEqualTo(Phase.RUNNING);
            has(fleet);
            millis.addAndGet(70_000);
            await().atMost(Duration.ofSeconds(60)).until(() -> record(fleet).rollout().phase() == Phase.STOPPED);
        }
    }
}
