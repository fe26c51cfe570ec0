package org.tamanoir.node.fleet;

import java.util.concurrent.atomic.LongAdder;

/**
 * What an agent counts.
 *
 * @param answered questions that the server has answered
 * @param failed   questions and reports that it has not
 * @param taken    parts that were put in force
 * @param refused  parts that were not
 * @param reports  that the server has taken
 */
public record FleetCounters(LongAdder answered, LongAdder failed, LongAdder taken, LongAdder refused, LongAdder reports) {
    FleetCounters() {
        this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder());
    }
}
