package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;

class WasmBenchCommandTest {
    private final BenchCall bench = new BenchCall();

    /** How fast they are on a busy machine is for the bench to say; that there are figures of all is not. */
    @Test
    @Tag("sweep")
    void modulesAreStartedStoppedAndShownOctetsAndHostileOnesStandBesideAnInnocentOne() throws Exception {
        int exit = bench.run("wasm", "--json", "--rounds", "1", "--seconds", "0.2", "--hostile", "100");
        assertThat(bench.errors()).isEmpty();
        JsonNode report = bench.report();
        assertThat(report.get("targets")).hasSize(9).allMatch(target -> !target.get("value").isNull());
        assertThat(report.get("failures")).isEmpty();
        assertThat(exit).isEqualTo(bench.deserved());
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(bench.run("wasm", "--part", "halt")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("throughput");
        assertThat(bench.run("wasm", "--hostile", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("wasm", "--rounds", "3", "--hostile", "2")).as("a round without one would measure nothing").isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("wasm", "--module", "/none")).isEqualTo(ExitCode.USAGE);
    }
}
