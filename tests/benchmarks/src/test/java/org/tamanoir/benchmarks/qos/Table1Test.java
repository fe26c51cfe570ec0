package org.tamanoir.benchmarks.qos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.qos.Table1.Cell;
import org.tamanoir.benchmarks.qos.Table1.How;
import org.tamanoir.benchmarks.qos.Table1.What;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Target;

class Table1Test {
    private final Measurements measured = new Measurements(line -> { });

    private void add(What what, How how, double empty, double congested) {
        measured.add(new Cell(what, how, false).key(), empty);
        measured.add(new Cell(what, how, true).key(), congested);
    }

    private List<Target> targets() {
        return new Table1(100_000_000, 1, measured).targets();
    }

    private void all(double chosenTrip, double chosenRate, double arrived) {
        add(What.RTT, How.QOSINUS, 0.3, chosenTrip);
        add(What.TCP, How.QOSINUS, 20, chosenRate);
        measured.add(Table1.arrivedKey(true), arrived);
    }

    private void plain(double trip, double starved, double efTrip, double efRate) {
        add(What.RTT, How.BE, 1, trip);
        add(What.TCP, How.BE, 100, starved);
        add(What.RTT, How.EF, 0.1, efTrip);
        add(What.TCP, How.EF, 30, efRate);
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
    void whatIsKeptHolds() {
        all(1.2, 19.5, 0.995);
        plain(10.1, 4.9, 1.0, 28.6);
        assertThat(targets()).hasSize(7).allMatch(Target::holds);
    }

    @Test
    void everyTargetIsMissedJustBeyondItsBound() {
        all(1.4, 18.9, 0.985);
        plain(9.9, 5.1, 1.2, 28.4);
        assertThat(targets()).hasSize(7).allMatch(Target::isMissed);
    }

    @Test
    void whatWasNotMeasuredDoesNotHold() {
        assertThat(targets()).hasSize(7).noneMatch(Target::holds).allMatch(target -> target.value() == null);
    }
}
