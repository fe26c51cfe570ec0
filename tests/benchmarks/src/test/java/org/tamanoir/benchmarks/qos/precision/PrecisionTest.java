package org.tamanoir.benchmarks.qos.precision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.report.Row;
import org.tamanoir.lab.LabRequirements;

class PrecisionTest {
    private static final String POINT = "precision-test3-90-10";

    /** The bounds are wide, for one second on a machine that others use; whoever has the shares wrong is further away. */
    @Test
    @Tag("lab")
    void sharesHoldAndOneQueueHasNone() {
        LabRequirements requirements = LabRequirements.check();
        Assumptions.assumeTrue(requirements.met(), requirements.explain());
        PrecisionOutcome outcome = Precision.run(40_000_000, new PrecisionPlan(3, List.of(new Couple(90, 10)), List.of(), List.of(125), 1, 1),
                line -> { });
        assertThat(outcome.failures()).isEmpty();
        Map<String, Double> values = outcome.rows().stream().collect(Collectors.toMap(row -> row.benchCase() + " " + row.system() + " " + row.metric(),
                Row::value));
        assertThat(values.get("precision-capacity tamanoir-domain payload")).as("40 Mbit/s, 1470 of 1512 octets").isBetween(37.0, 39.5);
        assertThat(Math.abs(values.get(POINT + " tamanoir-domain M-LREWS"))).isLessThan(15);
        assertThat(values.get(POINT + " tamanoir-domain utilisation")).as("outcome %s", values).isBetween(95.0, 102.0);
        assertThat(values.get(POINT + " one-queue M-LREWS")).as("half of the link instead of a tenth").isGreaterThan(100);
        assertThat(values.get("precision-region one-queue max")).isZero();
        assertThat(outcome.csv().get("precision").lines()).hasSize(3);
        assertThat(outcome.charts().get("precision").series()).anyMatch(line -> line.name().contains("M-LREWS"));
    }
}
