package org.tamanoir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.cli.ExitCode;
import org.tamanoir.lab.LabRequirements;

class DyramCommandTest {
    /** Files on the source's link: headers are 60 octets a packet of 1,460. */
    private static final double MOST_WITHOUT_LOSS = 1.08;
    /** On a busy machine a receiver of the peer may be late, and have repairs where nothing was lost; a figure that is wrong is so each time. */
    private static final int MORE_TIMES = 2;

    private final BenchCall bench = new BenchCall();

    @Test
    @Tag("lab")
    @Tag("sweep")
    void aPeerGetsTheFileToEverybodyAndItsRepairsAreOnTheSourcesLink() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        JsonNode report = peer();
        for (int more = 0; more < MORE_TIMES && value(report, "none", "source-link") > MOST_WITHOUT_LOSS; more++) {
            report = peer();
        }
        assertThat(value(report, "none", "identical")).isEqualTo(6);
        assertThat(value(report, "ind25", "identical")).isEqualTo(6);
        assertThat(value(report, "none", "source-link")).isBetween(1.04, MOST_WITHOUT_LOSS);
        assertThat(value(report, "none", "site-links-down")).isBetween(1.04, MOST_WITHOUT_LOSS);
        assertThat(value(report, "none", "complete-after")).isGreaterThan(1.04 * 2_000_000 * 8 / 50e6);
        // Whoever lost a quarter needs a third more; the network carries it to everybody.
        assertThat(value(report, "ind25", "source-link")).isBetween(1.35, 2.5);
        assertThat(value(report, "ind25", "packets-to-source")).isPositive();
        assertThat(report.get("targets")).as("they are for Tamanoir, and nothing of it was measured").isEmpty();
    }

    private JsonNode peer() throws Exception {
        int exit = bench.run("dyram", "--lab", "--systems", "norm", "--cases", "none,ind25", "--runs", "1", "--size", "2MB", "--sites", "2",
                "--receivers", "3", "--warm-ups", "0", "--json");
        assertThat(bench.errors()).isEmpty();
        assertThat(exit).isEqualTo(bench.deserved());
        return bench.report();
    }

    @Test
    @Tag("lab")
    void repairsOfTamanoirStayInTheSitesAndTheSourceSendsEverythingOnce() throws Exception {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        int exit = bench.run("dyram", "--lab", "--systems", "tamanoir-site", "--cases", "ind25", "--runs", "1", "--size", "2MB", "--sites", "2",
                "--receivers", "3", "--warm-ups", "0", "--json");
        assertThat(bench.errors()).isEmpty();
        assertThat(exit).isEqualTo(bench.deserved());
        JsonNode report = bench.report();
        assertThat(value(report, "ind25", "identical")).isEqualTo(6);
        // 76 octets of headers in packets of 1,500, and announcements; one packet of 64 is lost by all three of a site, and comes from the other.
        assertThat(value(report, "ind25", "source-link")).isBetween(1.05, 1.12);
        assertThat(value(report, "ind25", "site-links-down")).isBetween(1.05, 1.25);
        assertThat(report.get("targets")).isNotEmpty().allMatch(target -> target.get("holds").asBoolean());
    }

    @Test
    void whatCannotBeRunIsRefusedBeforeAnythingStarts() {
        assertThat(bench.run("dyram")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("--lab");
        assertThat(bench.run("dyram", "--lab", "--cases", "ind51")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("site0 to site50");
        assertThat(bench.run("dyram", "--lab", "--sites", "13")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("1 to 12 sites");
        assertThat(bench.run("dyram", "--lab", "--sites", "4", "--systems", "tamanoir")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("tamanoir-site");
        assertThat(bench.run("dyram", "--lab", "--rate", "50")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("dyram", "--lab", "--rate", "900mbit")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("dyram", "--lab", "--size", "20MiB")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("dyram", "--lab", "--systems", "pgm")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("dyram", "--runs", "3")).as("of what?").isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("dyram", "--figures", "--seeds", "0")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("1 to 100");
        assertThat(bench.run("dyram", "--plot", "figures")).as("of what?").isEqualTo(ExitCode.USAGE);
        assertThat(bench.run("dyram", "--figures", "--lab")).isEqualTo(ExitCode.USAGE);
        assertThat(bench.errors()).contains("one thing: --lab, --figures or --trace");
    }

    private static double value(JsonNode report, String benchCase, String metric) {
        return StreamSupport.stream(report.get("rows").spliterator(), false)
                .filter(row -> row.get("case").asText().equals(benchCase) && row.get("metric").asText().equals(metric))
                .findFirst().orElseThrow().get("value").asDouble();
    }
}
