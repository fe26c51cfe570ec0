package org.tamanoir.benchmarks.relay;

import java.time.Duration;
import java.util.List;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.Build;

/**
 * What {@code bench relay} is to run.
 *
 * @param tls        whether relays stand in pairs and speak TLS with each other
 * @param systems    which to compare
 * @param packets    octets of the packets, header included
 * @param streams    numbers of streams at once
 * @param warmUps    rounds before, which do not count: a JVM has compiled what it will
 * @param rounds     how often everything is measured
 * @param run        how long one measurement counts
 * @param throughput where the processes run while streams are measured
 * @param roundTrip  where they run while round trips are measured
 * @param against    the build of {@link RelayKind#BEFORE}, or null without it
 */
public record RelayPlan(boolean tls, List<RelayKind> systems, List<Integer> packets, List<Integer> streams, int warmUps, int rounds, Duration run,
        Placement throughput, Placement roundTrip, Build against) {
    public static final List<Integer> PACKETS = List.of(256, 1400, 8192, 60000);
    public static final List<Integer> STREAMS = List.of(1, 8, 25);
    /** The sender has a thread for each. */
    public static final int MAX_STREAMS = 500;
    /** A look, in a quarter of the cases. */
    public static final List<Integer> QUICK_PACKETS = List.of(256, 8192, 60000);
    public static final List<Integer> QUICK_STREAMS = List.of(8);

    /** @throws IllegalArgumentException that says which figure cannot be run */
    public void check() {
        require(warmUps >= 0, "no negative number of rounds to warm up");
        require(rounds >= 1, "at least one round");
        require(run.toMillis() >= 100, "a measurement of at least 0.1 s");
        require(!packets.isEmpty() && packets.stream().allMatch(octets -> octets >= 64 && octets <= Anep.MAX_PACKET),
                "packets of 64 to " + Anep.MAX_PACKET + " octets");
        require(!streams.isEmpty() && streams.stream().allMatch(count -> count >= 1 && count <= MAX_STREAMS),
                "1 to " + MAX_STREAMS + " streams");
        require(!tls || RelayKind.BY_TLS.containsAll(systems), "with --tls of the systems " + RelayKind.BY_TLS);
        require(against != null || !systems.contains(RelayKind.BEFORE), "the system before together with --against DIR");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException("the bench takes " + what);
        }
    }

    /** Measurements in all. */
    int count() {
        return (warmUps + rounds) * systems.size() * (packets.size() * streams.size() + 1);
    }
}
