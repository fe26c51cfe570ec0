package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.Locale;

/** What was measured of classes, as a table. */
final class QosSamples {
    private static final String[] COLUMNS = {"CLASS", "RTT ms", "P95 ms", "ONE WAY ms", "JITTER ms", "LOSS %", "TCP Mbit/s", "UDP Mbit/s", "VARIES %",
        "PROBES", "AGE s"};

    private QosSamples() {
    }

    /** Every class of every segment. */
    static void print(JsonNode paths, PrintWriter out) {
        String[] columns = new String[COLUMNS.length + 1];
        columns[0] = "EGRESS";
        System.arraycopy(COLUMNS, 0, columns, 1, COLUMNS.length);
        Table table = new Table(columns);
        for (JsonNode path : paths) {
            table.row(row(path.path("egress").asText(), path.path("class").asText(), path));
        }
        table.print(out);
    }

    /** The classes of one segment. */
    static void printClasses(JsonNode samples, PrintWriter out) {
        Table table = new Table(COLUMNS);
        samples.properties().forEach(each -> table.row(row(null, each.getKey(), each.getValue())));
        table.print(out);
    }

    private static Object[] row(String egress, String name, JsonNode sample) {
        Object[] values = {name, number(sample.path("rttMs")), number(sample.path("rttP95Ms")), number(sample.path("oneWayMs")),
            number(sample.path("jitterMs")), number(sample.path("lossPct")), number(sample.path("tcpMbps")),
            number(sample.path("udpMbps")), number(sample.path("rateVariationPct")), sample.path("probes").asInt(), number(sample.path("ageSeconds"))};
        if (egress == null) {
            return values;
        }
        Object[] row = new Object[values.length + 1];
        row[0] = egress;
        System.arraycopy(values, 0, row, 1, values.length);
        return row;
    }

    /** To the thousandth; a dash where nothing is known. */
    private static String number(JsonNode value) {
        return value.isNumber() ? String.format(Locale.ROOT, "%.3f", value.asDouble()) : "-";
    }
}
