package org.tamanoir.benchmarks.qos.qbss;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.FlowReport;
import org.tamanoir.lab.Flows;
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
        Series series = new Series(ONE, times, report(QbssLab.LBE, rates), List.of(report(QbssLab.BE)), List.of(new Flows.Sent(1, 1, 0)));
        assertThat(series.back(9e6)).as("not at the 0.2 s that last a fifth of a second").isBetween(0.59, 0.61);
        assertThat(series.back(10e6)).isInfinite();
    }

    @Test
    @Tag("lab")
    void lbeYieldsToBestEffortAndComesBack() {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        QbssOutcome outcome = Qbss.run(40_000_000, List.of(ONE), 1, new Times(1.5, 0, 2.5, 5), line -> { });
        assertThat(outcome.failures()).isEmpty();
        List<Target> measured = outcome.targets().stream().filter(target -> target.value() != null).toList();
        assertThat(measured).extracting(Target::name).hasSize(3).allMatch(name -> name.contains("one-stream"));
        assertThat(measured.get(0).value()).as("LBE alone, with what the bucket of the link holds at the start").isBetween(80.0, 103.0);
        assertThat(measured.get(1).value()).as("LBE beside").isBetween(0.2, 15.0);
        assertThat(measured.get(2).value()).as("back, its retransmission timer included").isLessThan(5.0);
        assertThat(outcome.csv().get("qbss-one-stream").lines()).hasSize(1 + 2 * 9);
    }
}
