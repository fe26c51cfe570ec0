package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.lab.PostgresServer;

class FleetBenchCommandTest {
    private final BenchCall bench = new BenchCall();

    @Test
    @Tag("sweep")
    void nothingAcknowledgedIsLostByAKill() throws Exception {
        Assumptions.assumeTrue(PostgresServer.missing().isEmpty(), PostgresServer.missing());
        int exit = bench.run("fleet", "--json", "--part", "upload-kills", "--kills", "4");
        assertThat(bench.errors()).isEmpty();
        assertThat(bench.report().get("targets")).hasSize(3).allMatch(target -> target.get("holds").asBoolean());
        assertThat(exit).isEqualTo(ExitCode.DONE);
    }

    /** How many there are on a busy machine is for the bench to say; that all three kinds of servers give whole bundles is not. */
    @Test
    @Tag("sweep")
    void pullsOfOneOfThreeAndOfNginxAreCounted() throws Exception {
        Assumptions.assumeTrue(PostgresServer.missing().isEmpty(), PostgresServer.missing());
        int exit = bench.run("fleet", "--json", "--part", "pulls", "--rounds", "1", "--seconds", "0.5");
        assertThat(bench.errors()).isEmpty();
        JsonNode report = bench.report();
        assertThat(report.get("rows")).hasSize(18).allMatch(row -> row.path("metric").asText().equals("idle") || row.path("value").asDouble() > 0);
        assertThat(report.get("targets")).hasSize(1).allMatch(target -> !target.get("value").isNull());
        assertThat(exit).isEqualTo(bench.deserved());
    }

    @Test
    @Tag("sweep")
    void aThousandNodesAndAServerThatLeadsThem() throws Exception {
        Assumptions.assumeTrue(PostgresServer.missing().isEmpty(), PostgresServer.missing());
        int exit = bench.run("fleet", "--json", "--part", "simulation,server", "--rounds", "1", "--seconds", "0.5", "--quick");
        assertThat(bench.errors()).isEmpty();
        JsonNode targets = bench.report().get("targets");
        assertThat(targets).hasSize(4).allMatch(target -> !target.get("value").isNull());
        assertThat(targets.get(0).get("holds").asBoolean()).isTrue();
        assertThat(targets.get(1).get("holds").asBoolean()).isTrue();
        assertThat(exit).isEqualTo(bench.deserved());
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(bench.run("fleet", "--part", "pull")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("upload-kills");
        assertThat(bench.run("fleet", "--share", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("fleet", "--kills", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("fleet", "--part", "simulation", "--rounds", "0")).isEqualTo(ExitCode.USAGE);
    }
}
