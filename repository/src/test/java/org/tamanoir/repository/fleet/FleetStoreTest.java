package org.tamanoir.repository.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.fleet.rollout.FleetRecord;
import org.tamanoir.fleet.rollout.Generation;
import org.tamanoir.fleet.rollout.RolloutState;
import org.tamanoir.fleet.rollout.RolloutState.Phase;

/** What holds wherever a fleet is kept. */
class FleetStoreTest {
    @TempDir
    private Path data;

    static Generation generation(long number) throws Exception {
        return new Generation(number, "now", "ada", "", new ObjectMapper().readTree("{\"fleet\": {\"nodes\": {\"a\": {}}}, \"nodes\": {\"a\": {\"version\": \"1.10\", \"share\": 1.10}}}"));
    }

    static FleetRecord record(int number) {
        return new FleetRecord(number, number, Map.of("a", 1L), new RolloutState(number, Phase.DONE, 0, false, Map.of("a", 1L), null, "now"));
    }

    /** Generations 1 to {@code last}; the node keeps the one that it had first. */
    static void fill(FleetStore store, int last) throws Exception {
        for (int number = 1; number <= last; number++) {
            store.commit(record(number), generation(number));
        }
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource
    void whatWasKeptIsReadAgain(FleetPlace place) throws Exception {
        try (FleetStore store = place.open(data.resolve("fleet"))) {
            assertThat(store.read()).isEqualTo(FleetRecord.EMPTY);
            fill(store, 2);
            assertThat(store.hasChanged(record(2))).isFalse();
            assertThat(store.hasChanged(record(1))).isTrue();
        }
        try (FleetStore again = place.open(data.resolve("fleet"))) {
            assertThat(again.read()).isEqualTo(record(2));
            assertThat(again.generation(2)).isEqualTo(generation(2));
            assertThat(again.history()).extracting(Generation.Head::number).containsExactly(2L, 1L);
            assertThatThrownBy(() -> again.generation(3)).hasMessageStartingWith("EE-407");
        }
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource
    void ofTwoChangesOfOneRevisionOneWins(FleetPlace place) throws Exception {
        FleetRecord next = new FleetRecord(3, 3, Map.of("a", 3L), null);
        try (FleetStore store = place.open(data.resolve("fleet"))) {
            fill(store, 2);
            store.commit(next, generation(3));
            assertThatThrownBy(() -> store.commit(new FleetRecord(3, 3, Map.of("a", 2L), null), generation(3))).hasMessageStartingWith("EE-641");
        }
        try (FleetStore again = place.open(data.resolve("fleet"))) {
            assertThat(again.read()).isEqualTo(next);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource
    void oldOnesGoUnlessANodeStillHasThem(FleetPlace place) throws Exception {
        try (FleetStore store = place.open(data.resolve("fleet"))) {
            fill(store, FleetStore.KEPT + 3);
            assertThat(store.history()).extracting(Generation.Head::number).hasSize(FleetStore.KEPT + 1).contains(1L, 4L).doesNotContain(2L, 3L);
            assertThatThrownBy(() -> store.generation(2)).hasMessageContaining("or not any more");
            assertThat(store.generation(1)).isEqualTo(generation(1));
        }
    }
}
