package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;

class ProxyBenchCommandTest {
    private final BenchCall bench = new BenchCall();

    /** Starts five processes. How the figures compare is for the bench to say. */
    @Test
    @Tag("sweep")
    void everyWayIsMeasuredBesideAFixedDestination() throws Exception {
        int exit = bench.run("proxy", "--rounds", "1", "--streams", "20", "--json");
        assertThat(bench.errors()).isEmpty();
        assertThat(exit).isEqualTo(bench.deserved());
        assertThat(bench.report().get("rows")).hasSize(8);
        assertThat(bench.report().get("targets").get(0).get("value").asDouble()).isGreaterThan(0);
    }

    @Test
    void figuresThatCannotBeRunAreRefusedBeforeAnythingStarts() {
        assertThat(bench.run("proxy", "--rounds", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("proxy", "--streams", "0")).isEqualTo(ExitCode.USAGE);
    }
}
