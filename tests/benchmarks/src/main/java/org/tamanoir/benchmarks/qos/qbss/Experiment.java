package org.tamanoir.benchmarks.qos.qbss;

import java.util.List;
import java.util.Locale;

/**
 * An experiment: one stream of LBE all the time, and best effort for a while.
 *
 * @param figure  of the paper
 * @param name    for files and rows
 * @param streams of best effort, or 0 for datagrams at half the rate of the link
 */
record Experiment(int figure, String name, int streams) {
    static final List<Experiment> ALL = List.of(new Experiment(6, "one-stream", 1), new Experiment(7, "three-streams", 3),
            new Experiment(8, "datagrams", 0));

    /** How many flows of best effort there are. */
    int flows() {
        return Math.max(1, streams);
    }

    boolean isDatagrams() {
        return streams == 0;
    }

    String title() {
        return String.format(Locale.ROOT, "LBE beside best effort: %s (figure %d)", name.replace('-', ' '), figure);
    }
}
