package org.tamanoir.benchmarks.qos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.qos.Cost.Case;
import org.tamanoir.benchmarks.qos.Cost.Way;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Target;

class CostTest {
    private final Measurements measured = new Measurements(line -> { });

    /** @param left of the rate @param own CPU time of the node in parts of what marks nothing @param errors of policing, in percent */
    private List<Target> targets(double left, double own, double... errors) {
        for (Case each : Case.ALL) {
            measured.add(each.ratio(Way.SESSION), left);
            if (!each.kernel()) {
                measured.add(each.ownRatio(Way.SESSION), own);
            }
        }
        for (double error : errors) {
            measured.add(Policing.error(true), error);
            measured.add(Policing.error(false), error);
        }
        return new Cost(measured).targets();
    }

    @Test
    void allHoldAtTheirBounds() {
        assertThat(targets(0.95, Cost.OWN, 0.1, -0.1)).hasSize(9).allMatch(Target::holds);
    }

    @Test
    void allAreMissedJustBeyondThem() {
        assertThat(targets(0.949, Cost.OWN + 0.001, 0, -0.11)).hasSize(9).allMatch(Target::isMissed);
    }

    @Test
    void whatWasNotMeasuredNeitherHoldsNorIsMissed() {
        assertThat(new Cost(measured).targets()).hasSize(9).allMatch(target -> target.value() == null && !target.holds() && !target.isMissed());
    }

    @Test
    void theNodesOwnCostStandsBesideTheWhole() {
        targets(0.97, 1.1, 0);
        StringWriter text = new StringWriter();
        new Cost(measured).print(new PrintWriter(text, true));
        assertThat(text.toString()).contains("per-cpu-of-rule").contains("node-cpu-of-rule").contains("node-cpu-of-forward");
    }
}
