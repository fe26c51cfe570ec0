package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;

class ContentBenchCommandTest {
    private final BenchCall bench = new BenchCall();

    /** How long it takes on a busy machine is for the bench to say; that there are never two is not. */
    @Test
    @Tag("sweep")
    void aHolderIsFollowedAndNeverJoined() throws Exception {
        int exit = bench.run("content", "--json", "--part", "election", "--rounds", "1");
        assertThat(bench.errors()).isEmpty();
        JsonNode targets = bench.report().get("targets");
        assertThat(targets).hasSize(3).allMatch(target -> !target.get("value").isNull());
        assertThat(targets.get(1).get("holds").asBoolean()).isTrue();
        assertThat(exit).isEqualTo(bench.deserved());
    }

    @Test
    @Tag("sweep")
    void aTreeCarriesWhatAnOracleWouldAndNobodyMissesAnything() throws Exception {
        int exit = bench.run("content", "--json", "--part", "interest", "--rounds", "1", "--seconds", "0.5", "--quick");
        assertThat(bench.errors()).isEmpty();
        JsonNode targets = bench.report().get("targets");
        assertThat(targets).hasSize(8).allMatch(target -> !target.get("value").isNull());
        assertThat(targets.get(1).get("holds").asBoolean()).isTrue();
        assertThat(targets.get(2).get("holds").asBoolean()).isTrue();
        assertThat(exit).isEqualTo(bench.deserved());
    }

    @Test
    @Tag("sweep")
    void aVectorCrossesEachLinkOnceEachWay() throws Exception {
        int exit = bench.run("content", "--json", "--part", "collect", "--rounds", "1", "--quick");
        assertThat(bench.errors()).isEmpty();
        JsonNode targets = bench.report().get("targets");
        assertThat(targets).hasSize(4).allMatch(target -> target.get("holds").asBoolean());
        assertThat(exit).isEqualTo(bench.deserved());
    }

    /** How fast it is on a busy machine is for the bench to say; that every picture comes out at every size is not. */
    @Test
    @Tag("sweep")
    void aFilmComesOutInThreeSizesBothWays() throws Exception {
        int exit = bench.run("content", "--json", "--part", "transcode", "--rounds", "1", "--seconds", "1");
        assertThat(bench.errors()).isEmpty();
        assertThat(bench.report().get("targets")).hasSize(3).allMatch(target -> !target.get("value").isNull());
        assertThat(exit).isEqualTo(bench.deserved());
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(bench.run("content", "--part", "elections")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("election");
        assertThat(bench.run("content", "--rounds", "0")).isEqualTo(ExitCode.USAGE);
    }
}
