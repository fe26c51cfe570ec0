package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.lab.PostgresServer;

class ObservatoryBenchCommandTest {
    private final BenchCall bench = new BenchCall();

    /** By what was measured, with the systems that have figures. */
    private Map<String, List<String>> systems() throws Exception {
        return bench.report().get("rows").findParents("metric").stream().collect(Collectors.groupingBy(row -> row.get("case").asText(), TreeMap::new,
                Collectors.mapping(row -> row.get("system").asText(), Collectors.collectingAndThen(Collectors.toList(), all -> all.stream().distinct().sorted().toList()))));
    }

    /** On a slow machine no rate is asked for, but all that was calculated or simulated holds wherever it runs. */
    @Test
    @Tag("long")
    void theTablesOfTheSeedsComeOutAndBothDatabasesAreBesideTheDisk() throws Exception {
        Assumptions.assumeTrue(PostgresServer.missing().isEmpty(), PostgresServer.missing());
        int exit = bench.run("observatory", "--json", "--part", "figures,simulation,intake,forecast", "--plans", "20", "--domains", "12", "--rounds", "1", "--seconds", "0.2");
        assertThat(bench.errors()).isEmpty();
        assertThat(bench.report().get("failures")).isEmpty();
        assertThat(systems()).containsEntry("GlueDomains, figure 8", List.of("paper", "tamanoir")).containsEntry("DataGRID, table 2", List.of("paper", "tamanoir"))
                .containsEntry("intake, 200 samples a request", List.of("PostgreSQL", "SQLite", "the disk")).containsKeys("random plans", "load of measuring", "forecast");
        assertThat(bench.report().get("targets").findParents("name")).filteredOn(target -> !target.get("name").asText().contains("requests")).hasSize(11)
                .allMatch(target -> target.get("holds").asBoolean());
        assertThat(bench.report().get("rows").findParents("metric")).filteredOn(row -> row.get("metric").asText().equals("requests")).hasSize(9).allMatch(row -> row.get("value").asDouble() > 0);
        assertThat(exit).isEqualTo(bench.deserved());
    }

    @Test
    @Tag("sweep")
    void aDatabaseGrowsInProportionAndStopsWhereRetentionHoldsIt() throws Exception {
        bench.run("observatory", "--json", "--part", "database", "--domains", "20", "--days", "5", "--rows", "20000");
        assertThat(bench.errors()).isEmpty();
        assertThat(bench.report().get("targets").findParents("name")).hasSize(6).allMatch(target -> target.get("holds").asBoolean());
    }

    /** Beside other work a ratio says nothing; what is asked is that every fetch is whole and has its source by what was measured. */
    @Test
    @Tag("lab")
    @Tag("sweep")
    void theExperimentOfScopeHasAFetchOfEachWay() throws Exception {
        int exit = bench.run("observatory", "--json", "--part", "scope", "--fetches", "2", "--scale", "400");
        assertThat(bench.errors()).isEmpty();
        assertThat(bench.report().get("failures")).isEmpty();
        List<JsonNode> fetches = bench.report().get("rows").findParents("metric").stream().filter(row -> row.get("case").asText().equals("fetch")).toList();
        assertThat(fetches).hasSize(3).allMatch(row -> row.get("runs").asInt() == 2 && row.get("value").asDouble() > 0);
        assertThat(exit).isEqualTo(bench.deserved());
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(bench.run("observatory", "--part", "scop")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("scope");
        assertThat(bench.run("observatory", "--part", "figures", "--ways", "luck")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("random, netcost, time");
        assertThat(bench.run("observatory", "--part", "figures", "--days", "1")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("observatory", "--part", "figures", "--seconds", "0")).isEqualTo(ExitCode.USAGE);
    }
}
