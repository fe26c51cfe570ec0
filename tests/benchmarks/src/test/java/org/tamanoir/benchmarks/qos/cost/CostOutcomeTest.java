package org.tamanoir.benchmarks.qos.cost;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.qos.cost.Cost.Way;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Target;

class CostOutcomeTest {
    private final Measurements measured = new Measurements(line -> { });

    /** @param left of the rate @param own CPU time of the node in parts of what marks nothing @param errors of policing, in percent */
    private List<Target> targets(double left, double own, double... errors) {
        for (String side : CostOutcome.SIDES) {
            measured.add(CostOutcome.ratio(side, Way.SESSION, true, Cost.DATAGRAM), left);
            for (double error : errors) {
                measured.add(CostOutcome.error(side), error);
            }
        }
        measured.add(CostOutcome.ownRatio(Way.SESSION, true, Cost.DATAGRAM), own);
        for (int octets : Cost.FRAMES) {
            measured.add(CostOutcome.ratio("node", Way.SESSION, false, octets), left);
            measured.add(CostOutcome.ownRatio(Way.SESSION, false, octets), own);
        }
        return new CostOutcome(measured).targets();
    }

    @Test
    void allHoldAtTheirBounds() {
        assertThat(targets(0.95, CostOutcome.OWN, 0.1, -0.1)).hasSize(9).allMatch(Target::holds);
    }

    @Test
    void allAreMissedJustBeyondThem() {
        assertThat(targets(0.949, CostOutcome.OWN + 0.001, 0, -0.11)).hasSize(9).allMatch(Target::isMissed);
    }

    @Test
    void whatWasNotMeasuredNeitherHoldsNorIsMissed() {
        assertThat(new CostOutcome(measured).targets()).hasSize(9).allMatch(target -> target.value() == null && !target.holds() && !target.isMissed());
    }

    @Test
    void theNodesOwnCostStandsBesideTheWhole() {
        targets(0.97, 1.1, 0);
        StringWriter text = new StringWriter();
        new CostOutcome(measured).print(new PrintWriter(text, true));
        assertThat(text.toString()).contains("per-cpu-of-rule").contains("node-cpu-of-rule").contains("node-cpu-of-forward");
    }
}
