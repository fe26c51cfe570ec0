package org.tamanoir.fleet.state;

import java.time.Duration;
import java.util.List;
import org.tamanoir.fleet.report.Health;
import org.tamanoir.fleet.tree.Fields;

/**
 * When a roll-out goes on and when it stops.
 *
 * @param soak         how long the nodes of a ring must have been healthy before the next ring begins
 * @param share        of a ring that must have been; more than 0, at most 1
 * @param maxUnhealthy nodes that have begun and may be unhealthy
 * @param grace        how long a node must have been unhealthy before it counts
 * @param patience     from the begin of a ring to the report of each of its nodes that it has what it is to have
 * @param silent       after which a node that has not reported counts as unhealthy
 * @param rollback     whether the rings that have begun get back what they had when a roll-out stops; otherwise they keep what they have
 * @param degraded     whether a node that says {@code degraded} is unhealthy
 * @param failedShare  of the streams since the node has what it has: beyond it is unhealthy
 * @param leastStreams before {@code failedShare} says anything
 */
public record RolloutRules(Duration soak, double share, int maxUnhealthy, Duration grace, Duration patience, Duration silent, boolean rollback, boolean degraded, double failedShare,
                           int leastStreams) {
    private static final Duration LONGEST = Duration.ofDays(7);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final double FAILED = 0.05;
    private static final int STREAMS = 20;
    private static final int MOST_STREAMS = 1_000_000;

    /** Soak 60 s, all of a ring, nobody unhealthy for more than 10 s, 5 min to report, silent after 60 s, hold; degraded, or 5 % of 20 or more streams. */
    public static final RolloutRules PRESET = new RolloutRules(Duration.ofSeconds(60), 1, 0, Duration.ofSeconds(10), Duration.ofMinutes(5), Duration.ofSeconds(60), false, true, FAILED, STREAMS);

    static RolloutRules read(Fields fields) {
        String onStop = fields.text("on-stop");
        if (onStop != null && !List.of("hold", "rollback").contains(onStop)) {
            throw fields.bad("on-stop", "it is '" + onStop + "'; it must be hold or rollback");
        }
        Fields unhealthy = fields.section("unhealthy");
        RolloutRules rules = new RolloutRules(fields.time("soak", PRESET.soak, Duration.ZERO, LONGEST), fields.part("share", PRESET.share, false),
                (int) fields.whole("max-unhealthy", PRESET.maxUnhealthy, 0, FleetState.MOST_NODES), fields.time("grace", PRESET.grace, Duration.ZERO, LONGEST),
                fields.time("patience", PRESET.patience, SECOND, LONGEST), fields.time("silent", PRESET.silent, SECOND, LONGEST), "rollback".equals(onStop),
                unhealthy.truth("degraded", PRESET.degraded), unhealthy.part("failed-share", PRESET.failedShare, false),
                (int) unhealthy.whole("least-streams", PRESET.leastStreams, 1, MOST_STREAMS));
        unhealthy.end();
        fields.end();
        return rules;
    }

    /** Why a node is unhealthy; null if it is not. */
    public String problem(Health health) {
        if (degraded && !health.isOk()) {
            return "it is " + health.status() + (health.problems().isEmpty() ? "" : ": " + String.join("; ", health.problems()));
        }
        if (health.streams() >= leastStreams && health.failed() > failedShare * health.streams()) {
            return health.failed() + " of " + health.streams() + " streams have failed since it has it";
        }
        return null;
    }

    /** How many of a ring must have been healthy. */
    public int enough(int nodes) {
        return (int) Math.ceil(share * nodes - 1e-9);
    }
}
