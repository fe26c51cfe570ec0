package org.tamanoir.node.manage.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.node.offload.KernelSettings;
import org.tamanoir.node.routing.Route;
import org.tamanoir.settings.Settings;

/** Values that stand in place of those of a file, as the options of a command do. */
class SettingsOverAFileTest {
    private static final String FILE = """
            # What stands here keeps its form: 1.10 is a version and not the number 1.1.
            pins: {10.0.0.0/8: {redact: 1.10}}
            services: {compression: {level: 6}}
            kernel: {use: off, rules: 7}
            limits:
              hops: 3
              idle-timeout: 2m
            routes: {10.0.0.0/8: direct}
            """;

    @TempDir
    private Path directory;

    private Settings file(String text) throws IOException {
        return Settings.of(Files.writeString(directory.resolve("node.yaml"), text));
    }

    @Test
    void everythingElseIsAsInTheFile() throws Exception {
        NodeConfiguration alone = NodeConfiguration.of(file(FILE));
        NodeConfiguration over = NodeConfiguration.of(file(FILE).set("limits.hops", 9).set("routes", Map.of("192.0.2.0/24", "127.0.0.1:1"))
                .set("links.neighbours", List.of("127.0.0.1:2")).set("listen", null));
        assertThat(over.limits().hops()).isEqualTo(9);
        assertThat(over.limits().idleTimeout()).isEqualTo(Duration.ofMinutes(2));
        assertThat(over.routes()).containsExactly(Route.parse("192.0.2.0/24=127.0.0.1:1"));
        assertThat(over.links().neighbours()).hasSize(1);
        assertThat(over.kernel().use()).isEqualTo(KernelSettings.Use.OFF);
        assertThat(over).usingRecursiveComparison().ignoringFields("limits.hops", "routes", "links.neighbours").isEqualTo(alone);
        assertThat(over.pins()).extracting(Pin::version).containsExactly("1.10.0");
        assertThat(over.services()).isEqualTo(Map.of("compression", Map.of("level", 6)));
    }

    @Test
    void anErrorInTheFileHasItsLineAndOneOfAnOptionItsKey() throws Exception {
        assertThatThrownBy(() -> NodeConfiguration.of(file(FILE.replace("hops: 3", "hops: 300")).set("limits.hops", 9)))
                .hasMessageEndingWith("node.yaml: limits.hops: it is 300; it must be from 1 to 255 (line 6)");
        assertThatThrownBy(() -> NodeConfiguration.of(file(FILE.replace("10.0.0.0/8: direct", "10.0.0.0/8: nowhere"))))
                .hasMessageContaining("routes.10.0.0.0/8: ").hasMessageEndingWith("(line 8)");
        assertThatThrownBy(() -> NodeConfiguration.of(file(FILE).set("threads", 0))).hasMessage("EE-501 threads: it is 0; it must be from 1 to 1024");
        assertThatThrownBy(() -> NodeConfiguration.of(Settings.none().set("lissen", "127.0.0.1:1"))).hasMessageStartingWith("EE-501 lissen: there is no such key");
    }
}
