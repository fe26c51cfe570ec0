package org.tamanoir.benchmarks.kernel;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What {@code bench kernel} is to run.
 *
 * @param parts     which parts
 * @param datagrams octets of the datagrams, ANEP header included
 * @param frames    octets of the ANEP packets of TCP streams, header included
 * @param latencies octets of the packets whose round trips on TCP are measured besides, for the plot
 * @param rounds    how often everything is measured
 * @param run       how long one measurement counts
 * @param changes   how often a rule is changed in one round
 * @param placement where the processes run while rates are measured; round trips are measured on one CPU
 */
public record KernelPlan(Set<Part> parts, List<Integer> datagrams, List<Integer> frames, List<Integer> latencies, int rounds, Duration run,
        int changes, Placement placement) {
    public static final List<Integer> DATAGRAMS = List.of(64, 1400, 8000);
    public static final List<Integer> FRAMES = List.of(1400, 8192, 60000);
    public static final List<Integer> LATENCIES = List.of(64, 512, 4096, 16384, 60000);
    public static final int CHANGES = 50;
    /** A packet with its options and its mark. */
    private static final int LEAST = 64;
    /** What fits a link of 9,000 octets unfragmented. */
    private static final int MOST_DATAGRAM = 8972;
    private static final int MOST_FRAME = 65_000;

    /** @throws IllegalArgumentException that says which figure cannot be run */
    public void check() {
        require(!parts.isEmpty(), "at least one part");
        require(rounds >= 1 && rounds <= 100, "1 to 100 rounds");
        require(run.toMillis() >= 100 && run.toSeconds() <= 30, "measurements of 0.1 to 30 s");
        require(changes >= 1 && changes <= 200, "1 to 200 changes");
        require(!datagrams.isEmpty() && datagrams.stream().allMatch(octets -> octets >= LEAST && octets <= MOST_DATAGRAM),
                "datagrams of " + LEAST + " to " + MOST_DATAGRAM + " octets");
        require(!frames.isEmpty() && frames.stream().allMatch(octets -> octets >= LEAST && octets <= MOST_FRAME),
                "packets of " + LEAST + " to " + MOST_FRAME + " octets on TCP");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException("the bench takes " + what);
        }
    }

    /** All lengths whose round trips on TCP are measured, the shortest first. */
    Set<Integer> tripFrames() {
        Set<Integer> all = new TreeSet<>(frames);
        all.addAll(latencies);
        return all;
    }
}
