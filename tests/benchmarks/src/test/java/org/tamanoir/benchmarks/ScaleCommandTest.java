package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;

class ScaleCommandTest {
    private final BenchCall bench = new BenchCall();

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(bench.run("scale", "--part", "users")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("there is no part 'users': streams, routes, services, hops, cores");
        assertThat(bench.run("scale", "--rounds", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("scale", "--most", "10001")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("sizes of 1 to 10000");
    }

    @Test
    @Tag("sweep")
    void eachPartMeasuresEachSize() throws Exception {
        assertThat(bench.run("scale", "--most", "10", "--rounds", "1", "--seconds", "0.3", "--json")).as(bench.errors()).isEqualTo(bench.deserved());
        JsonNode report = bench.report();
        List<String> measured = new ArrayList<>();
        report.get("rows").forEach(row -> {
            if (row.get("metric").asText().equals("throughput")) {
                measured.add(row.get("case").asText() + " " + row.get("streams").asInt());
                assertThat(row.get("value").asDouble()).isPositive();
            }
        });
        assertThat(measured).contains("scale-streams 1", "scale-streams 10", "scale-routes 10", "scale-services 10", "scale-hops 1", "scale-hops 8", "scale-cores 1");
    }
}
