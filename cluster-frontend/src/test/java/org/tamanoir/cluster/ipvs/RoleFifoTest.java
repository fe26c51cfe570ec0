package org.tamanoir.cluster.ipvs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RoleFifoTest {
    @Test
    void onlyOurInstanceDecides() {
        assertThat(RoleFifo.role("INSTANCE \"tamanoir\" MASTER 150", "unknown")).isEqualTo("master");
        assertThat(RoleFifo.role("INSTANCE \"tamanoir\" BACKUP 150", "master")).isEqualTo("backup");
        assertThat(RoleFifo.role("INSTANCE \"tamanoir\" FAULT 150", "master")).isEqualTo("fault");
        assertThat(RoleFifo.role("INSTANCE \"tamanoir\" STOP 150", "master")).isEqualTo("unknown");
        for (String other : new String[] {"INSTANCE \"other\" MASTER 150", "GROUP \"tamanoir\" MASTER 150", "INSTANCE \"tamanoir\" MASTER_RX_LOWER_PRI 150", ""}) {
            assertThat(RoleFifo.role(other, "backup")).isEqualTo("backup");
        }
    }

    @Test
    void writersMayComeAndGoAndTheEndLeavesNothing(@TempDir Path directory) throws Exception {
        Path pipe = directory.resolve("role");
        Files.writeString(pipe, "left over");
        try (RoleFifo role = new RoleFifo(pipe)) {
            for (String now : new String[] {"MASTER", "BACKUP", "MASTER"}) {
                Files.writeString(pipe, "INSTANCE \"tamanoir\" " + now + " 100\n", java.nio.file.StandardOpenOption.WRITE);
                await().until(() -> role.role().equals(now.toLowerCase(java.util.Locale.ROOT)));
            }
            // A line without an end is no reason to grow.
            Files.writeString(pipe, "x".repeat(50_000) + "\nINSTANCE \"tamanoir\" FAULT 1\n", java.nio.file.StandardOpenOption.WRITE);
            await().until(() -> role.role().equals("fault"));
        }
        assertThat(pipe).doesNotExist();
        await().until(() -> Thread.getAllStackTraces().keySet().stream().noneMatch(thread -> thread.getName().equals("tamanoir-vrrp-role")));
    }
}
