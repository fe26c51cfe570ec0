package org.tamanoir.service.qos;

/** What is asked of one metric: a limit, a word, or a weight beside other metrics. */
public sealed interface Goal {
    /** A value that must be kept: milliseconds, per cent, or megabits a second. */
    record Limit(double value) implements Goal {
    }

    /** A word; what it means is the decision's to say. */
    record Wish(Level level) implements Goal {
    }

    /** How much the metric counts beside the others, over 0 to 1. The weights of a service level add up to 1. */
    record Weight(double weight) implements Goal {
    }

    /** Words for a metric: how much of it. {@code delay=low} asks for little delay, {@code rate=high} for much throughput. */
    enum Level {
        LOW, MEDIUM, HIGH
    }
}
