package org.tamanoir.repository.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.fleet.rollout.FleetRecord;

class FleetDirectoryTest {
    @TempDir
    private Path data;

    private Path root() {
        return data.resolve("fleet");
    }

    /** Generations 1 to {@code last}; the node keeps the one that it had first. */
    private FleetDirectory with(int last) throws Exception {
        FleetDirectory store = FleetDirectory.open(root());
        FleetStoreTest.fill(store, last);
        return store;
    }

    @Test
    void nothingIsMadeBeforeSomethingIsApplied() {
        assertThat(FleetDirectory.open(root()).read()).isEqualTo(FleetRecord.EMPTY);
        assertThat(root()).doesNotExist();
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
