package org.tamanoir.benchmarks.report;

import java.util.List;
import java.util.Locale;

/** Rows as comma-separated values (RFC 4180). */
public final class Csv {
    private Csv() {
    }

    /** A header, and a line for each row, with the names that the rows have in JSON. */
    public static String of(List<Row> rows) {
        StringBuilder csv = new StringBuilder("case,system,packet,streams,metric,value,unit,runs,low,high\r\n");
        for (Row row : rows) {
            csv.append(String.format(Locale.ROOT, "%s,%s,%d,%d,%s,%s,%s,%d,%s,%s\r\n", field(row.benchCase()), field(row.system()), row.packet(),
                    row.streams(), field(row.metric()), row.value(), field(row.unit()), row.runs(), row.low(), row.high()));
        }
        return csv.toString();
    }

    private static String field(String text) {
        return text.contains(",") || text.contains("\"") ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }
}
