package org.tamanoir.benchmarks.codec;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One figure.
 *
 * @param what   benchmark and method
 * @param packet octets of a packet, 0 where it is always the same
 * @param metric time, rate or allocation
 * @param value  median of the runs
 * @param runs   iterations measured
 */
record CodecRow(String what, int packet, String metric, double value, String unit, int runs) {
    boolean is(String what, String metric) {
        return this.what.equals(what) && this.metric.equals(metric);
    }

    /** With the fields that every bench has. */
    Map<String, Object> object() {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("case", what);
        row.put("system", "tamanoir");
        row.put("packet", packet);
        row.put("streams", 0);
        row.put("metric", metric);
        row.put("value", Math.round(value * 1000) / 1000.0);
        row.put("unit", unit);
        row.put("runs", runs);
        return row;
    }

    String text() {
        return String.format(Locale.ROOT, "%-20s %8s %-12s %,18.3f %s", what, packet == 0 ? "" : packet, metric, value, unit);
    }
}
