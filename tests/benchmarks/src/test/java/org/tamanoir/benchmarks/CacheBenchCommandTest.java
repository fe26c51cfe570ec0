package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;

class CacheBenchCommandTest {
    private final BenchCall bench = new BenchCall();

    /** Starts ten processes. How the figures compare is for the bench to say. */
    @Test
    @Tag("sweep")
    void hitsAFlightAndAKillAreMeasured() throws Exception {
        int exit = bench.run("cache", "--rounds", "1", "--seconds", "1", "--programs", "3", "--file-mb", "5", "--kills", "1", "--json");
        assertThat(bench.errors()).isEmpty();
        assertThat(exit).isEqualTo(bench.deserved());
        assertThat(bench.report().get("targets").get(1).get("holds").asBoolean()).isTrue();
        assertThat(bench.report().get("targets").get(2).get("holds").asBoolean()).isTrue();
    }

    @Test
    void figuresThatCannotBeRunAreRefusedBeforeAnythingStarts() {
        assertThat(bench.run("cache", "--rounds", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("cache", "--kills", "-1")).isEqualTo(ExitCode.USAGE);
    }
}
