package org.tamanoir.benchmarks.kernel;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.tamanoir.benchmarks.process.ProcessTree;

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

    /** Which processes run on which CPUs, as {@code taskset -c} takes them; the same for every way. The README of the module says what was measured. */
    public enum Placement {
        /** Everything on one CPU, which is always awake: what is measured is what is done, and no wake-up of an idle CPU. */
        ONE("0", "0", "0"),
        /** Both ends apart, the node wherever there is room. */
        APART("0", ProcessTree.allCpus(), Runtime.getRuntime().availableProcessors() == 1 ? "0" : "1");

        final String client;
        final String node;
        final String server;

        Placement(String client, String node, String server) {
            this.client = client;
            this.node = node;
            this.server = server;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** How packets get from the client to the server: what is compared. */
    enum Way {
        /** A router that knows nothing of ANEP; for TCP this is the direct connection. */
        PLAIN("plain", "plain"),
        /** A node with ten rules, for a Type ID each, or a light connection, that the kernel runs. */
        KERNEL("kernel", "kernel"),
        /** The same node with {@code kernel: use: off}. */
        USER_SPACE("user-space", "user"),
        /** A node with ten rules of four shapes that the kernel runs. */
        TEN_RULES("kernel-10-rules", "ten"),
        /** A node with ten thousand rules of the same four shapes. */
        MANY_RULES("kernel-10000-rules", "many");

        /** Those that carry every case. */
        static final List<Way> COMPARED = List.of(PLAIN, KERNEL, USER_SPACE);
        /** Those whose cost is compared by the number of their rules. */
        static final List<Way> BY_RULES = List.of(TEN_RULES, MANY_RULES);

        private final String name;
        /** The name of the host between client and server. */
        final String host;

        Way(String name, String host) {
            this.name = name;
            this.host = host;
        }

        /** As it stands among the figures. */
        @Override
        public String toString() {
            return name;
        }

        /** Whether a node stands there. */
        boolean isNode() {
            return this != PLAIN;
        }

        boolean inKernel() {
            return isNode() && this != USER_SPACE;
        }

        int rules() {
            return this == MANY_RULES ? 10_000 : 10;
        }

        /** Whether its rules have different combinations of fields: each combination costs a packet a look-up. */
        boolean hasShapes() {
            return BY_RULES.contains(this);
        }
    }

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
