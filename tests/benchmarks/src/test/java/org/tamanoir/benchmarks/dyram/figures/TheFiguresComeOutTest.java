package org.tamanoir.benchmarks.dyram.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tamanoir.benchmarks.dyram.figures.Setting.Lost;
import org.tamanoir.benchmarks.dyram.figures.Setting.Services;
import org.tamanoir.benchmarks.dyram.figures.Setting.Split;
import org.tamanoir.benchmarks.dyram.figures.SimulatedSession.Outcome;
import org.tamanoir.benchmarks.parts.Findings;
import org.tamanoir.benchmarks.report.Row;

/** The protocol does what the papers print, within what few seeds allow. The bounds are of the model, not of an earlier run. */
class TheFiguresComeOutTest {
    private static Setting session(int groups, int hosts, double loss, Split split, Services services) {
        return new Setting(groups, hosts, loss, split, Duration.ofMillis(800), services, Setting.DECIDE, Lost.DATA, 200);
    }

    private static double consumed(int size, double loss, Services services) {
        return SimulatedSession.run(session(48 / size, size, loss, Split.MEDIUM_ACCESS, services), 11).consumed();
    }

    private static double saved(int size, double loss) {
        return consumed(size, loss, Services.NO_LOCAL_RECOVERY) / consumed(size, loss, Services.LOCAL_RECOVERY);
    }

    @Test
    @Tag("long")
    void localRecoverySavesTheBandwidthOfFigure12b() {
        assertThat(saved(6, 0.25)).as("the papers print 1.8").isCloseTo(1.82, within(0.1));
        assertThat(saved(6, 0.5)).isCloseTo(2.73, within(0.2));
        assertThat(saved(1, 0.25)).as("nobody is there to repair").isCloseTo(1, within(0.01));
        assertThat(saved(48, 0.25)).isCloseTo(2.71, within(0.15));
    }

    @Test
    void localRecoveryMovesRepairsOntoTheLansAndDoesNotSaveThem() {
        Outcome without = SimulatedSession.run(session(8, 6, 0.25, Split.MEDIUM_ACCESS, Services.NO_LOCAL_RECOVERY), 11);
        Outcome with = SimulatedSession.run(session(8, 6, 0.25, Split.MEDIUM_ACCESS, Services.LOCAL_RECOVERY), 11);
        assertThat(without.everywhere() / with.everywhere()).isCloseTo(1, within(0.1));
        assertThat(with.lanLinks()).isGreaterThan(without.lanLinks());
    }

    @Test
    void electionAmongSitesTakesRepairsFromTheSourceWhereEverySiteHasOneReceiver() {
        // Only what the source's own link loses comes of the source again: 1 / (1 - 0.134).
        assertThat(SimulatedSession.run(session(48, 1, 0.25, Split.MEDIUM_ACCESS, Services.EVERY_LEVEL), 11).sourceLink())
                .isCloseTo(1.155, within(0.08));
        assertThat(SimulatedSession.run(session(48, 1, 0.25, Split.MEDIUM_ACCESS, Services.LOCAL_RECOVERY), 11).sourceLink())
                .isCloseTo(3.126, within(0.2));
    }

    @Test
    @Tag("long")
    void everyServiceMakesRecoveryFasterAsInFigure13() {
        double times = 0;
        for (Split split : Split.ALL) {
            double forwarding = delay(split, Services.NO_ACTIVE_NODE);
            double without = delay(split, Services.WITHOUT_DETECTION);
            double with = delay(split, Services.WITH_DETECTION);
            assertThat(forwarding).as(split.name()).isBetween(1.2, 1.55);
            assertThat(without).as("slow tails must not make DyRAM- slower than no active node: " + split.name()).isLessThan(0.9 * forwarding);
            assertThat(with).as(split.name()).isLessThan(0.75 * without);
            times = split.equals(Split.SHORT_ACCESS) ? without / with : times;
        }
        assertThat(times).as("the papers say that DyRAM+ can be 4 times faster").isGreaterThan(4);
    }

    private static double delay(Split split, Services services) {
        return SimulatedSession.run(session(12, 8, 0.25, split, services), 11).meanDelay();
    }

    @Test
    @Tag("long")
    void aSeedGivesTheSameReportAgainAndFilesThatCanBeRead(@TempDir Path folder) throws Exception {
        List<Function<Sessions, Figures.Figure>> short12a = List.of(sessions -> Figure12.completion(sessions, 100));
        Figures figures = Figures.run(short12a, 5, 2, line -> { });
        List<Row> rows = figures.rows();
        assertThat(Figures.run(short12a, 5, 2, line -> { }).rows()).isEqualTo(rows);
        assertThat(Figures.run(short12a, 6, 2, line -> { }).rows()).isNotEqualTo(rows);
        assertThat(figures.targets()).hasSize(1);

        Findings.of(figures).writeCsv(folder.resolve("csv"));
        Findings.of(figures).plot(folder.resolve("plots"));

        List<String> lines = Files.readAllLines(folder.resolve("csv/figure-12a.csv"));
        assertThat(lines).hasSize(rows.size() + 1);
        assertThat(lines).anyMatch(line -> line.startsWith("figure-12a,local recovery,0,48,completion-time," + rows.stream()
                .filter(row -> row.system().equals("local recovery") && row.streams() == 48).findFirst().orElseThrow().value() + ","));
        assertThat(Files.readString(folder.resolve("plots/figure-12a.svg"))).contains("local recovery, model");
    }
}
