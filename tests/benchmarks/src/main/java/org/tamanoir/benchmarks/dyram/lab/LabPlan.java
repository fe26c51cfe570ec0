package org.tamanoir.benchmarks.dyram.lab;

import java.util.List;
import java.util.stream.Stream;
import org.tamanoir.lab.MulticastTestbed;

/**
 * What {@code bench dyram --lab} is to run.
 *
 * @param systems   which to compare
 * @param cases     with which losses
 * @param runs      how often everything is measured, with cold processes and with warm ones each
 * @param warmUps   transmissions of every system in every case before warm ones are measured
 * @param octets    size of the file
 * @param bits      a second that the sender may put on its link, headers of IP included
 * @param sites     how many
 * @param receivers at each site
 * @param limit     seconds after which a run counts as not complete
 */
public record LabPlan(List<SystemKind> systems, List<LossCase> cases, int runs, int warmUps, long octets, long bits, int sites, int receivers, int limit) {
    private static final long MOST_OCTETS = 1_000_000_000;
    private static final long LEAST_BITS = 1_000_000;
    /** What the delay box was seen to carry without a drop, with room. */
    private static final long MOST_BITS = 300_000_000;

    /** JVMs of receivers. */
    public static final int MOST_PROCESSES = 12;
    private static final long USUAL_OCTETS = 20_000_000;
    private static final long USUAL_BITS = 50_000_000;

    /** @throws IllegalArgumentException that says which figure cannot be run */
    public void check() {
        require(!systems.isEmpty() && !cases.isEmpty(), "at least one system and one case");
        require(runs >= 1, "at least one run");
        require(warmUps >= 0, "no run less than none to warm up");
        require(octets >= 1_000 && octets <= MOST_OCTETS, "files of 1 kB to 1 GB");
        require(bits >= LEAST_BITS && bits <= MOST_BITS, "rates of 1 to 300 Mbit/s");
        require(sites >= 1 && sites <= MulticastTestbed.MAX_SITES, "1 to " + MulticastTestbed.MAX_SITES + " sites");
        require(receivers >= 1 && receivers <= MulticastTestbed.MAX_RECEIVERS, "1 to " + MulticastTestbed.MAX_RECEIVERS + " receivers a site");
        require(!systems.contains(SystemKind.TAMANOIR) || sites * receivers <= MOST_PROCESSES, "up to " + MOST_PROCESSES
                + " receivers with a JVM each: for more take " + SystemKind.TAMANOIR_SITE);
        require(limit >= 1, "a limit of at least a second");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException("the bench takes " + what);
        }
    }

    /** Whether times can be held against the targets, which are for 20 MB at 50 Mbit/s. */
    boolean isUsual() {
        return octets == USUAL_OCTETS && bits == USUAL_BITS;
    }

    /** Receivers in all. */
    int expected() {
        return sites * receivers;
    }

    /** What is measured, cold first. */
    List<LabCase> measured() {
        return Stream.of(true, false).flatMap(cold -> cases.stream().map(loss -> new LabCase(loss, cold))).toList();
    }

    /** Transmissions in all. */
    int count() {
        return (2 * runs + warmUps) * cases.size() * systems.size();
    }
}
