package org.tamanoir.benchmarks.relay;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.relay.RelayCase.Work;

/**
 * What {@code bench relay} is to run.
 *
 * @param systems    which to compare
 * @param packets    octets of the packets, header included
 * @param streams    numbers of streams at once; datagrams are of one
 * @param warmUps    rounds before, which do not count: a JVM has compiled what it will
 * @param rounds     how often everything is measured
 * @param run        how long one measurement counts
 * @param throughput where the processes run while streams are measured
 * @param roundTrip  where they run while round trips are measured
 * @param against    the build of {@link RelayKind#BEFORE}, or null without it
 * @param profile    the folder for flame graphs of the node in each case, made after the rounds; null for none
 */
public record RelayPlan(Transport transport, List<RelayKind> systems, List<Integer> packets, List<Integer> streams,
        int warmUps, int rounds, Duration run, Placement throughput, Placement roundTrip, Build against, Path profile) {
    /** Which processes run on which CPUs; the same for every system. The README of the module says what was measured. */
    public enum Placement {
        /** The kernel decides. */
        FREE,
        /** The relay on CPU 1, sender and sink on CPU 0. */
        APART,
        /** Everything on CPU 0. */
        ONE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        void apply(List<ProcessTree> ends, List<ProcessTree> relays) {
            ends.forEach(process -> process.pin(this == FREE ? ProcessTree.allCpus() : "0"));
            relays.forEach(process -> process.pin(this == FREE ? ProcessTree.allCpus() : this == APART ? "1" : "0"));
        }
    }

    public static final List<Integer> STREAMS = List.of(1, 8, 25);
    /** A look, in a quarter of the cases. */
    public static final List<Integer> QUICK_PACKETS = List.of(256, 8192, 60000);
    public static final List<Integer> QUICK_STREAMS = List.of(8);

    /** The sender has a thread for each. */
    private static final int MAX_STREAMS = 500;
    private static final int REQUEST = 64;

    /** @throws IllegalArgumentException that says which figure cannot be run */
    public void check() {
        boolean datagrams = transport == Transport.UDP;
        require(warmUps >= 0, "no negative number of rounds to warm up");
        require(rounds >= 1, "at least one round");
        require(run.toMillis() >= 100, "a measurement of at least 0.1 s");
        require(!datagrams || run.toSeconds() <= 30, "measurements of 0.1 to 30 s");
        require(areBetween(packets, Transport.LEAST, transport.most()),
                (datagrams ? "datagrams" : "packets") + " of " + Transport.LEAST + " to " + transport.most() + " octets");
        require(areBetween(streams, 1, MAX_STREAMS), "1 to " + MAX_STREAMS + " streams");
        List<RelayKind> able = RelayKind.of(transport);
        require(able.containsAll(systems), "with --" + transport.name().toLowerCase(Locale.ROOT) + " of the systems " + able);
        require(profile == null || systems.contains(RelayKind.TAMANOIR), "the system tamanoir together with --profile DIR");
        require(against != null || !systems.contains(RelayKind.BEFORE), "the system before together with --against DIR");
    }

    private static boolean areBetween(List<Integer> values, int least, int most) {
        return !values.isEmpty() && values.stream().allMatch(value -> value >= least && value <= most);
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException("the bench takes " + what);
        }
    }

    /** What is measured of each system in a round, in this order. */
    List<RelayCase> cases() {
        List<RelayCase> cases = new ArrayList<>();
        for (int packet : packets) {
            if (transport == Transport.UDP) {
                cases.add(new RelayCase(Work.ECHOES, packet, 1));
                cases.add(new RelayCase(Work.ONE_WAY, packet, 1));
            } else {
                streams.forEach(count -> cases.add(new RelayCase(Work.STREAMS, packet, count)));
            }
        }
        cases.add(transport == Transport.UDP ? new RelayCase(Work.DATAGRAM_TRIPS, Collections.min(packets), 1)
                : new RelayCase(Work.TRIPS, REQUEST, 1));
        return cases;
    }
}
