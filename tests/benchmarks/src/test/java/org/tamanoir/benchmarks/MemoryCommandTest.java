package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;

class MemoryCommandTest {
    private final BenchCall bench = new BenchCall();

    /** Whether the bounds hold is for the bench to say; here the attack has to have been one. */
    @Test
    @Tag("sweep")
    void anAttackedNodeIsMeasuredAndSoIsABystander() throws Exception {
        int exit = bench.run("memory", "--rounds", "0", "--starts", "0", "--quick", "--attack", "partial-packets", "--json");
        assertThat(bench.errors()).isEmpty();
        assertThat(exit).isEqualTo(bench.deserved());
        Map<String, Double> figures = new HashMap<>();
        for (JsonNode row : bench.report().get("rows")) {
            assertThat(row.get("case").asText()).isEqualTo("partial-packets");
            figures.put(row.get("metric").asText(), row.get("value").asDouble());
        }
        assertThat(figures.get("alive")).isEqualTo(1);
        assertThat(figures.get("direct-memory")).isPositive().isLessThan(figures.get("resident-peak"));
        assertThat(figures.get("steady-rate-before")).as("a packet of 8,192 octets each 5 ms").isBetween(0.5, 2.0);
        assertThat(bench.report().get("targets").findValuesAsText("name")).filteredOn(name -> name.startsWith("partial-packets")).hasSize(4);
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(bench.run("memory", "--rounds", "0", "--starts", "0", "--attack", "none")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("memory", "--attack", "rain")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("rain");
        assertThat(bench.run("memory", "--against", "/nowhere")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("no build in /nowhere");
    }
}
