package org.tamanoir.repository.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.fleet.rollout.FleetRecord;
import org.tamanoir.fleet.rollout.Generation;
import org.tamanoir.fleet.rollout.RolloutState;
import org.tamanoir.fleet.rollout.RolloutState.Phase;

class FleetDirectoryTest {
    @TempDir
    private Path data;

    private Path root() {
        return data.resolve("fleet");
    }

    private static Generation generation(long number) throws Exception {
        return new Generation(number, "now", "ada", "", new ObjectMapper().readTree("{\"fleet\": {\"nodes\": {\"a\": {}}}}"));
    }

    /** Generations 1 to {@code last}; the node keeps the one that it had first. */
    private FleetDirectory with(int last) throws Exception {
        FleetDirectory store = FleetDirectory.open(root());
        for (int number = 1; number <= last; number++) {
            store.commit(new FleetRecord(number, number, Map.of("a", 1L), new RolloutState(number, Phase.DONE, 0, false, Map.of("a", 1L), null, "now")), generation(number));
        }
        return store;
    }

    @Test
    void whatWasKeptIsReadAgain() throws Exception {
        assertThat(FleetDirectory.open(root()).read()).isEqualTo(FleetRecord.EMPTY);
        assertThat(root()).as("nothing is made before something is applied").doesNotExist();
        FleetRecord record = with(2).read();
        FleetDirectory again = FleetDirectory.open(root());
        assertThat(again.read()).isEqualTo(record);
        assertThat(again.generation(2)).isEqualTo(generation(2));
        assertThat(again.history()).extracting(Generation.Head::number).containsExactly(2L, 1L);
        assertThatThrownBy(() -> again.generation(3)).hasMessageStartingWith("EE-407");
    }

    @Test
    void ofTwoChangesOfOneRevisionOneWins() throws Exception {
        FleetDirectory store = with(2);
        FleetRecord next = new FleetRecord(3, 3, Map.of("a", 3L), null);
        store.commit(next, generation(3));
        assertThatThrownBy(() -> store.commit(new FleetRecord(3, 3, Map.of("a", 2L), null), generation(3))).hasMessageStartingWith("EE-641");
        assertThat(FleetDirectory.open(root()).read()).isEqualTo(next);
    }

    @Test
    void whatACrashHasLeftIsRemovedAndWasNeverAcknowledged() throws Exception {
        with(2);
        Files.writeString(root().resolve("generations/3.json"), "{}");
        Files.writeString(root().resolve("generations/4.json.part"), "{");
        Files.writeString(root().resolve("record.json.part"), "{");
        assertThat(FleetDirectory.open(root()).read().generation()).isEqualTo(2);
        assertThat(root().resolve("generations").toFile().list()).containsExactlyInAnyOrder("1.json", "2.json");
        assertThat(root().toFile().list()).containsExactlyInAnyOrder("generations", "record.json");
    }

    @Test
    void theFirstOneTooMayHaveBeenHalf() throws Exception {
        Files.createDirectories(root().resolve("generations"));
        Files.writeString(root().resolve("generations/1.json"), "{}");
        assertThat(FleetDirectory.open(root()).read()).isEqualTo(FleetRecord.EMPTY);
        assertThat(root().resolve("generations")).isEmptyDirectory();
    }

    @Test
    void oldOnesGoUnlessANodeStillHasThem() throws Exception {
        FleetDirectory store = with(FleetDirectory.KEPT + 3);
        assertThat(root().resolve("generations").toFile().list()).hasSize(FleetDirectory.KEPT + 1).contains("1.json", "4.json").doesNotContain("2.json", "3.json");
        assertThatThrownBy(() -> store.generation(2)).hasMessageContaining("or not any more");
    }

    @Test
    void whatIsDamagedIsSaidAndNothingIsRemoved() throws Exception {
        with(2);
        Files.writeString(root().resolve("generations/2.json"), Files.readString(root().resolve("generations/2.json")).replace("\"a\"", "\"b\""));
        assertThatThrownBy(() -> FleetDirectory.open(root()).generation(2)).hasMessageStartingWith("EE-503").hasMessageContaining("not what its digest says");
        Files.delete(root().resolve("generations/1.json"));
        assertThatThrownBy(() -> FleetDirectory.open(root())).hasMessageStartingWith("EE-503").hasMessageContaining("[1] are missing");
        Files.writeString(root().resolve("record.json"), "{\"format\": 9}");
        assertThatThrownBy(() -> FleetDirectory.open(root())).hasMessageStartingWith("EE-503");
        Files.delete(root().resolve("record.json"));
        assertThatThrownBy(() -> FleetDirectory.open(root())).hasMessageContaining("record.json is missing although there are generations");
        assertThat(root().resolve("generations/2.json")).exists();
    }
}
