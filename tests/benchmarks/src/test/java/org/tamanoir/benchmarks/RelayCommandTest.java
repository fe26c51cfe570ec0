package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.lab.LabRequirements;

class RelayCommandTest {
    private final BenchCall bench = new BenchCall();

    @Test
    @Tag("lab")
    void aPlainRouterCarriesWhatIsSentAndIsMeasured() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        int exit = bench.run("relay", "--system", "direct", "--packet", "1400", "--streams", "2", "--warm-ups", "1", "--rounds", "1", "--seconds", "0.3", "--json");
        assertThat(bench.errors()).isEmpty();
        assertThat(exit).isEqualTo(bench.deserved());
        JsonNode report = bench.report();
        assertThat(report.get("failures")).isEmpty();
        JsonNode gigabits = row(report, "throughput");
        assertThat(gigabits.get("value").asDouble()).isBetween(0.01, 1000.0);
        assertThat(row(report, "packets").get("value").asDouble() * 1400 * 8 / 1e9)
                .isBetween(gigabits.get("value").asDouble() * 0.99, gigabits.get("value").asDouble() * 1.01);
        assertThat(row(report, "p99").get("value").asDouble()).isGreaterThanOrEqualTo(row(report, "p50").get("value").asDouble());
        assertThat(report.get("targets")).as("nothing of a node was measured").noneMatch(target -> target.get("holds").asBoolean());
    }

    /** With the names of the node's own methods in them: a profile of another process, or of an idle one, has none. */
    @Test
    @Tag("lab")
    void aNodeIsLookedInto(@TempDir Path folder) throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        bench.run("relay", "--system", "tamanoir", "--packet", "1400", "--streams", "2", "--warm-ups", "0", "--rounds", "1", "--seconds", "0.5", "--profile", folder.toString(), "--json");
        assertThat(bench.report().get("failures")).isEmpty();
        for (String work : new String[] {"streams-1400-2", "round-trip-64"}) {
            assertThat(frames(folder.resolve(work + "-cpu.html"))).as(work).anyMatch(frame -> frame.startsWith("org/tamanoir/node/"));
            // A packet allocates nothing, so there may be no method of the node's.
            assertThat(frames(folder.resolve(work + "-alloc.html"))).as(work).startsWith("all");
        }
    }

    /** The names in a flame graph of async-profiler: each begins with the length that it shares with the one before, as a character from the blank on. */
    private static List<String> frames(Path graph) throws IOException {
        List<String> frames = new ArrayList<>();
        String before = "";
        for (String line : Files.readString(graph).replaceAll("(?s).*const cpool = \\[(.*?)\\];.*", "$1").strip().split(",\n")) {
            String packed = line.substring(1, line.length() - 1).replace("\\'", "'").replace("\\\\", "\\");
            before = frames.isEmpty() ? packed : before.substring(0, packed.charAt(0) - ' ') + packed.substring(1);
            frames.add(before);
        }
        return frames;
    }

    @Test
    @Tag("lab")
    @Tag("sweep")
    void datagramsAreMeasuredThroughARouterAndThroughARelay() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        int exit = bench.run("relay", "--udp", "--system", "direct,netty", "--packet", "1400", "--warm-ups", "1", "--rounds", "1", "--seconds", "0.3", "--json");
        assertThat(bench.errors()).isEmpty();
        assertThat(exit).isEqualTo(bench.deserved());
        JsonNode report = bench.report();
        assertThat(report.get("failures")).isEmpty();
        for (String metric : new String[] {"echoes", "received", "p50"}) {
            assertThat(StreamSupport.stream(report.get("rows").spliterator(), false).filter(row -> row.get("metric").asText().equals(metric))
                    .map(row -> row.get("system").asText())).as(metric).containsExactlyInAnyOrder("direct", "netty");
        }
        assertThat(row(report, "cpu").get("system").asText()).as("a router has no process").isEqualTo("netty");
    }

    @Test
    void figuresThatCannotBeRunAreRefusedBeforeAnythingStarts() {
        assertThat(bench.run("relay", "--packet", "70000")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("packets of 64 to 65535 octets");
        assertThat(bench.run("relay", "--streams", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("relay", "--system", "varnish")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("relay", "--against", "/nowhere")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("no build in /nowhere");
        assertThat(bench.run("relay", "--system", "tamanoir,before")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("--against");
        assertThat(bench.run("relay", "--system", "direct", "--profile", "flames")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("--profile");
        assertThat(bench.run("relay", "--udp", "--system", "haproxy")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("with --udp of the systems [direct, tamanoir, before, nginx, netty, socat]");
        assertThat(bench.run("relay", "--udp", "--packet", "9000")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("datagrams of 64 to 8872 octets");
        assertThat(bench.run("relay", "--udp", "--streams", "2")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("leave it out with --udp");
    }

    private static JsonNode row(JsonNode report, String metric) {
        return StreamSupport.stream(report.get("rows").spliterator(), false)
                .filter(row -> row.get("metric").asText().equals(metric)).findFirst().orElseThrow();
    }
}
