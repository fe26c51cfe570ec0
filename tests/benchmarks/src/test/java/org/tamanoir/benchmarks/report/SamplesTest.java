package org.tamanoir.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.report.Samples.Key;

class SamplesTest {
    private static final Key KEY = new Key("streams", "haproxy", 8192, 8, "throughput", "Gbit/s");

    @Test
    void aRowIsTheMedianOfItsRunsWithLeastAndMost() {
        Samples samples = new Samples();
        for (double value : new double[] {9, 1, 2.00004, 3, 2}) {
            samples.add(KEY, value);
        }
        assertThat(samples.rows()).containsExactly(new Row("streams", "haproxy", 8192, 8, "throughput", 2, "Gbit/s", 5, 1, 9));
        samples.add(KEY, 9);
        assertThat(samples.median(KEY)).isEqualTo(2.50002);
    }

    @Test
    void figuresKeepFourDigits() {
        assertThat(Samples.round(123_456)).isEqualTo(123_500);
        assertThat(Samples.round(0.000123456)).isEqualTo(0.0001235);
        assertThat(Samples.round(-2.34567)).isEqualTo(-2.346);
        assertThat(Samples.round(0)).isZero();
    }

    @Test
    void aTargetThatWasNotMeasuredDoesNotHold() {
        assertThat(Target.atLeast("rate", null, 0).holds()).isFalse();
        assertThat(Target.atMost("memory", null, 64).holds()).isFalse();
        assertThat(Target.atLeast("rate", 1.0, 1.0).holds()).isTrue();
        assertThat(Target.atMost("memory", 64.1, 64).holds()).isFalse();
    }

    @Test
    void aReportHasTheNamesThatTheDesignGives() {
        Samples samples = new Samples();
        samples.add(KEY, 7.5);
        JsonNode json = new ObjectMapper().valueToTree(new Report(Map.of("cpus", "2"), samples.rows(),
                List.of(Target.atLeast("rate", 7.5, 7)), List.of()));
        JsonNode row = json.get("rows").get(0);
        assertThat(row.get("case").asText()).isEqualTo("streams");
        assertThat(row.get("system").asText()).isEqualTo("haproxy");
        assertThat(row.get("value").asDouble()).isEqualTo(7.5);
        assertThat(List.of("packet", "streams", "metric", "unit", "runs")).allMatch(row::has);
        JsonNode target = json.get("targets").get(0);
        assertThat(List.of("name", "value", "target")).allMatch(target::has);
        assertThat(target.get("holds").asBoolean()).isTrue();
        assertThat(json.get("machine").get("cpus").asText()).isEqualTo("2");
    }
}
