package org.tamanoir.benchmarks.qos.table1;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.qos.table1.Cell.How;
import org.tamanoir.benchmarks.qos.table1.Cell.What;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Target;

class Table1OutcomeTest {
    private final Samples samples = new Samples();

    private void add(What what, How how, double empty, double congested) {
        samples.add(new Cell(what, how, false).key(), empty);
        samples.add(new Cell(what, how, true).key(), congested);
    }

    private List<Target> targets() {
        return new Table1Outcome(100_000_000, 1, samples, Map.of(), List.of()).targets();
    }

    private void all(double chosenTrip, double chosenRate, double starved, double arrived) {
        add(What.RTT, How.BE, 0.1, 24);
        add(What.RTT, How.EF, 0.1, 0.2);
        add(What.RTT, How.QOSINUS, 0.3, chosenTrip);
        add(What.TCP, How.BE, 90, starved);
        add(What.TCP, How.EF, 28, 27.5);
        add(What.TCP, How.QOSINUS, 20, chosenRate);
        add(What.UDP, How.QOSINUS, 12, 12);
        samples.add(ChosenFlows.arrived(true), arrived);
    }

    @Test
    void thePaperItselfKeepsWhatItShows() {
        for (What what : What.values()) {
            for (How how : List.of(How.BE, How.EF)) {
                add(what, how, new Cell(what, how, false).paper(), new Cell(what, how, true).paper());
            }
        }
        // EF's round trip grows by 1.0 ms in the paper; best effort's by 5.5 times only, and its TCP in EF keeps half.
        assertThat(targets()).filteredOn(Target::holds).extracting(Target::name).hasSize(2).anyMatch(name -> name.contains("TCP in best effort"))
                .anyMatch(name -> name.contains("EF, ms"));
    }

    @Test
    void whatIsKeptHoldsAndWhatIsLostDoesNot() {
        all(1.2, 19.5, 1, 0.995);
        assertThat(targets()).allMatch(Target::holds);
    }

    @Test
    void aFlowThatIsAsStarvedAsBestEffortMissesItsTargets() {
        all(24, 1, 80, 0.08);
        assertThat(targets()).filteredOn(target -> !target.holds()).extracting(Target::name).hasSize(4).anyMatch(name -> name.contains("asked for delay"))
                .anyMatch(name -> name.contains("asked for throughput")).anyMatch(name -> name.contains("TCP in best effort")).anyMatch(name -> name.contains("of losses"));
    }

    @Test
    void whatWasNotMeasuredDoesNotHold() {
        assertThat(targets()).hasSize(7).noneMatch(Target::holds).allMatch(target -> target.value() == null);
    }
}
