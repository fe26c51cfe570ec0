package org.tamanoir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.anep.AnepException;
import org.tamanoir.paths.advisor.Advice;

class HostLimitsTest {
    @TempDir
    private Path root;
    private HostLimits limits;

    @BeforeEach
    void kernel() throws IOException {
        limits = new HostLimits(root);
        put("net/core/rmem_max", "212992");
        put("net/core/wmem_max", "212992");
        put("net/ipv4/tcp_rmem", "4096\t131072\t6291456");
        put("net/ipv4/tcp_wmem", "4096\t16384\t4194304");
    }

    private void put(String key, String value) throws IOException {
        Path file = root.resolve("proc/sys").resolve(key);
        Files.createDirectories(file.getParent());
        Files.writeString(file, value + "\n");
    }

    private String get(String key) throws IOException {
        return Files.readString(root.resolve("proc/sys").resolve(key)).strip();
    }

    private void apply(double mbits) {
        limits.apply(Advice.of(100, mbits, limits.today()).lines(), "a test");
    }

    /** Wrong: a limit that falls, a second --apply that forgets what was there before the first, an --undo that leaves anything. */
    @Test
    void whatWasAppliedIsTakenBackHoweverOften() throws IOException {
        apply(1_000);
        assertThat(get("net/ipv4/tcp_wmem")).isEqualTo("4096 65536 25001984");
        apply(10_000);
        assertThat(get("net/ipv4/tcp_rmem")).startsWith("4096 131072 2500");
        assertThat(Files.readAllLines(limits.file())).contains("# was net.ipv4.tcp_wmem = 4096 16384 4194304", "net.ipv4.tcp_wmem = " + get("net/ipv4/tcp_wmem"))
                .filteredOn(line -> line.contains("net.core.rmem_max")).hasSize(2);

        put("net/core/rmem_max", "999999999");
        assertThat(limits.undo()).containsOnlyKeys("net.core.wmem_max", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem");
        assertThat(get("net/ipv4/tcp_wmem")).isEqualTo("4096 16384 4194304");
        assertThat(get("net/core/wmem_max")).isEqualTo("212992");
        assertThat(get("net/core/rmem_max")).as("somebody has changed it since").isEqualTo("999999999");
        assertThat(limits.file()).doesNotExist();
        assertThat(limits.undo()).isEmpty();
    }

    /** Wrong: limits of which some are set, or a file that sets at the next start what could not be set now. */
    @Test
    void whatCannotBeSetChangesNothing() throws IOException {
        Path refused = root.resolve("proc/sys/net/ipv4/tcp_wmem");
        List<String> lines = Advice.of(100, 1_000, limits.today()).lines();
        Files.delete(refused);
        Files.createDirectory(refused);
        assertThatThrownBy(() -> limits.apply(lines, "a test")).isInstanceOf(AnepException.class);
        Files.delete(refused);
        put("net/ipv4/tcp_wmem", "4096\t16384\t4194304");
        assertThat(get("net/core/rmem_max")).isEqualTo("212992");
        assertThat(limits.isApplied()).isFalse();
    }
}
