package org.tamanoir.fleet.state;

import java.time.Duration;
import org.tamanoir.fleet.tree.Fields;

/**
 * How often nodes come.
 *
 * @param poll   from one question of a node to the next
 * @param report from one report of a node to the next while nothing happens to it
 */
public record FleetTimes(Duration poll, Duration report) {
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final Duration SHORTEST = Duration.ofMillis(100);

    /** 5 s: a revocation is at 99 of 100 nodes within 6 s, and a thousand nodes ask 200 times a second. */
    public static final FleetTimes PRESET = new FleetTimes(Duration.ofSeconds(5), Duration.ofSeconds(15));

    static FleetTimes read(Fields fields) {
        FleetTimes times = new FleetTimes(fields.time("poll", PRESET.poll, SHORTEST, LONGEST), fields.time("report", PRESET.report, SHORTEST, LONGEST));
        fields.end();
        return times;
    }
}
