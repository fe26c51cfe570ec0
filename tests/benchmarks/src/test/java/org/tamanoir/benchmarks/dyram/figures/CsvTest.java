package org.tamanoir.benchmarks.dyram.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.report.Row;

class CsvTest {
    @Test
    void fieldsWithCommasAndQuotesAreOneField() {
        assertThat(Csv.of(List.of(new Row("figure-1", "the \"best\", of all", 0, 12, "delay", 1.5, "RTT", 3, 1, 2)))).isEqualTo(
                "figure,series,x,metric,value,unit,seeds,low,high\r\nfigure-1,\"the \"\"best\"\", of all\",12,delay,1.5,RTT,3,1.0,2.0\r\n");
    }
}
