package org.tamanoir.benchmarks.kernel;

import java.util.Locale;

/** What can be measured by itself. */
public enum Part {
    /** Datagrams: round trips, a window of them, as many as go. */
    UDP,
    /** Streams: round trips and throughput. */
    TCP,
    /** Ten rules against ten thousand. */
    RULES,
    /** How soon a changed rule is in force. */
    CHANGE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
