package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;

class CoalesceCommandTest {
    private final BenchCall bench = new BenchCall();

    /** How the figures compare is for the bench to say. */
    @Test
    @Tag("lab")
    @Tag("sweep")
    void bothWaysAndTcpAreMeasured() throws Exception {
        int exit = bench.run("coalesce", "--rounds", "1", "--seconds", "1", "--json");
        assertThat(bench.errors()).isEmpty();
        assertThat(exit).isEqualTo(bench.deserved());
        assertThat(bench.report().get("targets")).hasSize(5).allMatch(target -> target.get("value").isNumber());
    }

    @Test
    void figuresThatCannotBeRunAreRefusedBeforeAnythingStarts() {
        for (String[] wrong : new String[][] {{"--rounds", "0"}, {"--seconds", "61"}, {"--limit", "99"}, {"--rate", "50001"}}) {
            assertThat(bench.run("coalesce", wrong[0], wrong[1])).isEqualTo(ExitCode.USAGE);
        }
    }
}
