package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.kernel.Feature;
import org.tamanoir.kernel.KernelProbe;
import org.tamanoir.lab.LabRequirements;

class KernelCommandTest {
    @TempDir
    private Path folder;
    private final BenchCall bench = new BenchCall();

    /** Each way carries datagrams and streams, each figure is there, and none is a figure of another way. How fast is not held here. */
    @Test
    @Tag("sweep")
    void everyWayIsMeasuredAndTheKernelDoesTheWork() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        KernelProbe probe = KernelProbe.of();
        // Whether this host forwards does not matter: the laboratory's do.
        List<String> missing = Stream.of(Feature.BPF, Feature.PERFMON, Feature.TCX, Feature.NFT).flatMap(feature -> probe.missing(feature).stream()).toList();
        Assumptions.assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
        Path plot = folder.resolve("plot.svg");
        int exit = bench.run("kernel", "--datagram", "64,8000", "--packet", "1400", "--rounds", "1", "--seconds", "0.3", "--changes", "5", "--json",
                "--plot", plot.toString());
        assertThat(bench.errors()).isEmpty();
        assertThat(exit).isEqualTo(bench.deserved());
        JsonNode report = bench.report();
        assertThat(report.get("failures")).isEmpty();
        for (String system : List.of("plain", "kernel", "user-space")) {
            assertThat(value(report, "udp-32-outstanding", system, 64, "echoes")).isGreaterThan(100);
            assertThat(value(report, "udp-blast", system, 8000, "received")).isGreaterThan(100);
            assertThat(value(report, "udp-blast", system, 8000, "received-per-cpu")).isGreaterThan(100);
            assertThat(value(report, "udp-round-trip", system, 64, "p99"))
                    .isGreaterThanOrEqualTo(value(report, "udp-round-trip", system, 64, "p50"));
            assertThat(value(report, "tcp-stream", system, 1400, "throughput")).isBetween(0.001, 1000.0);
            assertThat(value(report, "tcp-round-trip", system, 60000, "p50")).isBetween(1.0, 1e6);
        }
        assertThat(value(report, "udp-32-outstanding", "user-space", 64, "added-to-plain")).isGreaterThan(0);
        assertThat(value(report, "udp-32-outstanding", "kernel", 64, "node-cpu-of-user-space")).isBetween(0.0, 1.0);
        assertThat(value(report, "rules-32-outstanding", "kernel-10000-rules", 64, "of-kernel-10-rules")).isGreaterThan(0);
        assertThat(value(report, "rule-change", "opened", 0, "p50")).isLessThan(1000);
        assertThat(report.get("targets")).hasSize(4 + 2 + 2 + 1 + 4).noneMatch(target -> target.get("value").isNull());
        assertThat(Files.readString(plot)).contains("Figure 8", "node, in the kernel");
    }

    @Test
    void figuresThatCannotBeRunAreRefusedBeforeAnythingStarts() {
        assertThat(bench.run("kernel", "--datagram", "9000")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("datagrams of 64 to 8972 octets");
        assertThat(bench.run("kernel", "--packet", "66000")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("kernel", "--rounds", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("kernel", "--part", "udp", "--plot", "x.svg")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("kernel", "--part", "icmp")).isEqualTo(ExitCode.USAGE);
    }

    private static double value(JsonNode report, String what, String system, int packet, String metric) {
        return StreamSupport.stream(report.get("rows").spliterator(), false)
                .filter(row -> row.get("case").asText().equals(what) && row.get("system").asText().equals(system)
                        && row.get("packet").asInt() == packet && row.get("metric").asText().equals(metric))
                .findFirst().orElseThrow(() -> new AssertionError(what + " " + system + " " + packet + " " + metric)).get("value").asDouble();
    }
}
