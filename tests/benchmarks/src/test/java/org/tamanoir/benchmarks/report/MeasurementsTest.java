package org.tamanoir.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.lab.LabException;

class MeasurementsTest {
    private static final Key KEY = new Key("case", "system", 0, 0, "metric", "s");

    /** Wrong: rounds of a second part that throw away what the first part has measured. */
    @Test
    void warmUpsLeaveNoFiguresAndWhatWasMeasuredBeforeStays() {
        Measurements measured = new Measurements(line -> { });
        measured.rounds(0, 2, round -> measured.add(KEY, round));
        measured.rounds(2, 1, round -> {
            measured.add(KEY, 10 + round);
            measured.attempt(Measurements.name(round), () -> {
                throw new LabException("no figure");
            });
        });
        assertThat(measured.samples().of(KEY)).containsExactly(0.0, 1.0, 10.0);
        assertThat(measured.failures()).containsExactly("warm-up: no figure", "warm-up: no figure", "round 1: no figure");
    }
}
