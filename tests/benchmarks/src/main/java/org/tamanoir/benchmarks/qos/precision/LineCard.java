package org.tamanoir.benchmarks.qos.precision;

import java.util.List;

/**
 * What the report found in 2003 (section 3.9, tables 1 and 2), in percent of the couples. It counts 19 of them, one twice, and 15 of 19 as 78 %.
 *
 * @param max the "max" operating region
 * @param avg the "avg" operating region; NaN where the report has only "//"
 */
record LineCard(String name, double max, double avg) {
    static final List<LineCard> ALL = List.of(new LineCard("Cisco OC-48", 31.5, 68.42), new LineCard("Juniper OC-48", 100, Double.NaN),
            new LineCard("Procket OC-48", 100, Double.NaN), new LineCard("Cisco GigE", 21, 26.3), new LineCard("Juniper GigE", 26.3, 52.6),
            new LineCard("Procket GigE", 73.6, 78));
}
