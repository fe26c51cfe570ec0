package org.tamanoir.benchmarks.dyram.figures;

import java.util.List;
import java.util.Locale;
import org.tamanoir.benchmarks.report.Row;

/** Rows as comma-separated values (RFC 4180). */
final class Csv {
    private Csv() {
    }

    static String of(List<Row> rows) {
        StringBuilder csv = new StringBuilder("figure,series,x,metric,value,unit,seeds,low,high\r\n");
        for (Row row : rows) {
            csv.append(String.format(Locale.ROOT, "%s,%s,%d,%s,%s,%s,%d,%s,%s\r\n", field(row.benchCase()), field(row.system()), row.streams(),
                    field(row.metric()), row.value(), field(row.unit()), row.runs(), row.low(), row.high()));
        }
        return csv.toString();
    }

    private static String field(String text) {
        return text.contains(",") || text.contains("\"") ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }
}
