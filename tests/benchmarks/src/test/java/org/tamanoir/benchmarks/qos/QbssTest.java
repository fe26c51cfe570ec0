package org.tamanoir.benchmarks.qos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.qos.Qbss.Experiment;
import org.tamanoir.benchmarks.qos.Qbss.Series;
import org.tamanoir.benchmarks.qos.Qbss.Times;
import org.tamanoir.benchmarks.qos.edge.Bottleneck;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.FlowReceiver.FlowReport;
import org.tamanoir.lab.LabRequirements;

class QbssTest {
    private static final Experiment ONE = Experiment.ALL.get(0);

    /** Bins of a tenth of a second with so many Mbit/s each. */
    private static FlowReport report(int codePoint, double... rates) {
        long[] bins = new long[rates.length];
        for (int i = 0; i < rates.length; i++) {
            bins[i] = Math.round(1e6 * rates[i] * FlowReport.BIN / 8);
        }
        return new FlowReport(List.of(new FlowReport.Count(true, codePoint, 1, 1, 0, 0, bins)));
    }

    @Test
    void howSoonTheRateIsBackIsCountedFromTheEndOfBestEffort() {
        Times times = new Times(0.2, 0, 0.3, 1.5);
        double[] rates = {9, 9, 1, 1, 1, 0, 0, 0, 9, 9, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9};
        Series series = new Series(ONE, times, List.of(report(Qbss.LBE, rates), report(Qbss.BE)), 1);
        assertThat(series.back(9e6)).as("not at the 0.2 s that last a fifth of a second").isBetween(0.59, 0.61);
        assertThat(series.back(10e6)).isInfinite();
    }

    /** Ten bins alone, thirty beside best effort, and then nothing until LBE is back; a link that carries 100 Mbit/s. */
    private static List<Target> targets(Experiment experiment, double alone, double beside, int backAfter, double arrived) {
        Times times = new Times(2, 0, 2, 5);
        double[] rates = new double[90];
        Arrays.fill(rates, 0, 20, alone);
        Arrays.fill(rates, 20, 40, beside);
        Arrays.fill(rates, 40 + backAfter, 90, 100);
        List<FlowReport> came = new ArrayList<>(List.of(report(Qbss.LBE, rates)));
        for (int i = 0; i < experiment.flows(); i++) {
            came.add(new FlowReport(List.of(new FlowReport.Count(!experiment.isDatagrams(), Qbss.BE, 1, Math.round(1000 * arrived), 0, 0, new long[0]))));
        }
        Qbss qbss = new Qbss(Math.round(100e6 / Bottleneck.TCP_PART), new Measurements(line -> { }));
        qbss.add(new Series(experiment, times, came, 1000));
        return qbss.targets().stream().filter(target -> target.name().contains(experiment.name())).toList();
    }

    @Test
    void everyTargetHoldsOnOneSideOfItsBoundAndIsMissedOnTheOther() {
        for (Experiment experiment : Experiment.ALL) {
            assertThat(targets(experiment, 96, 4, 29, 0.995)).hasSize(3).allMatch(Target::holds);
            assertThat(targets(experiment, 94, 6, 31, 0.985)).hasSize(3).allMatch(Target::isMissed);
        }
        assertThat(targets(ONE, 96, 4, 50, 1)).extracting(Target::isMissed).as("LBE is never back").containsExactly(false, false, true);
    }

    @Test
    void whatWasNotMeasuredNeitherHoldsNorIsMissed() {
        assertThat(new Qbss(100_000_000, new Measurements(line -> { })).targets()).hasSize(9)
                .allMatch(target -> target.value() == null && !target.holds() && !target.isMissed());
    }

    @Test
    @Tag("lab")
    void lbeYieldsToBestEffortAndComesBack() {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        Qbss outcome = Qbss.run(40_000_000, List.of(ONE), 1, new Times(1.5, 0, 2.5, 5), line -> { });
        assertThat(outcome.failures()).isEmpty();
        List<Target> measured = outcome.targets().stream().filter(target -> target.value() != null).toList();
        assertThat(measured).extracting(Target::name).hasSize(3).allMatch(name -> name.contains("one-stream"));
        assertThat(measured.get(0).value()).as("LBE alone, with what the bucket of the link holds at the start").isBetween(80.0, 103.0);
        assertThat(measured.get(1).value()).as("LBE beside").isBetween(0.2, 15.0);
        assertThat(measured.get(2).value()).as("back, its retransmission timer included").isLessThan(5.0);
        assertThat(outcome.csv().get("qbss-one-stream").lines()).hasSize(1 + 2 * 9);
    }
}
