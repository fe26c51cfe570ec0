package org.tamanoir.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CsvTest {
    @Test
    void fieldsWithCommasAndQuotesAreOneField() {
        assertThat(Csv.of(List.of(new Row("figure-1", "the \"best\", of all", 0, 12, "delay", 1.5, "RTT", 3, 1, 2)))).isEqualTo(
                "case,system,packet,streams,metric,value,unit,runs,low,high\r\nfigure-1,\"the \"\"best\"\", of all\",0,12,delay,1.5,RTT,3,1.0,2.0\r\n");
    }
}
