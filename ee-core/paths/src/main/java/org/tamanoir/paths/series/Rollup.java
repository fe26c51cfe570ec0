package org.tamanoir.paths.series;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LongSummaryStatistics;
import java.util.Map;

/** What is left of a column when its samples are gone. */
public record Rollup(long least, double mean, long most) {
    /** Of each column of a series. */
    public static Map<String, Rollup> of(Series series) {
        Map<String, Rollup> all = new LinkedHashMap<>();
        series.columns().forEach((name, values) -> {
            LongSummaryStatistics column = Arrays.stream(values).summaryStatistics();
            all.put(name, new Rollup(column.getMin(), Arrays.stream(values).average().orElse(0), column.getMax()));
        });
        return all;
    }
}
