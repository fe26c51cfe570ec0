package org.tamanoir.benchmarks.cluster.scaling;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * What one run has measured.
 *
 * @param octets   a second at the receiver, headers of packets included
 * @param used     of each back end that serves: processor time, in parts of its cap
 * @param shares   of each back end that serves: what came to it over the network, in parts of what came to all
 * @param others   what came to back ends that do not serve, in parts of what came to all
 * @param director processors that the director has used
 * @param ends     processors that sender, receiver, and the node behind the back ends have used
 * @param soft     processors that the kernel's threads for soft interrupts have used: packets whose cost no back end was charged with
 * @param idle     part of the time in which this machine's processors had nothing to do
 */
record Figures(double octets, List<Double> used, List<Double> shares, double others, double director, double ends, double soft, double idle) {
    /** Below that something else than the cap may have been the limit. */
    static final double LEAST_USED = 0.85;
    /** One director has one processor. */
    static final double MOST_DIRECTOR = 0.85;
    /** Reports, checks, and what the network says to itself. */
    static final double MOST_OTHERS = 0.02;
    private static final double BITS = 8 / 1e6;

    double megabits() {
        return octets * BITS;
    }

    /** Octets a second for each processor that the back ends were charged with. */
    double octetsPerCharged(double cap) {
        return octets / (cap * used.stream().mapToDouble(Double::doubleValue).sum());
    }

    /** Of the back end that has used the least. */
    double leastUsed() {
        return Collections.min(used);
    }

    /** The smallest share, in parts of an even one. */
    double leastShare() {
        return Collections.min(shares) * shares.size();
    }

    /** Why this is no figure of back ends that were held back by their caps and by nothing else; empty if it is one. */
    List<String> doubts() {
        List<String> doubts = new ArrayList<>();
        if (octets <= 0) {
            doubts.add("nothing arrived");
        }
        if (leastUsed() < LEAST_USED) {
            doubts.add(String.format(Locale.ROOT, "a back end used %.0f %% of its cap: something else was the limit", 100 * leastUsed()));
        }
        if (director > MOST_DIRECTOR) {
            doubts.add(String.format(Locale.ROOT, "the director used %.0f %% of its processor", 100 * director));
        }
        if (others > MOST_OTHERS) {
            doubts.add(String.format(Locale.ROOT, "back ends that had left got %.0f %% of the octets", 100 * others));
        }
        return doubts;
    }
}
