package org.tamanoir.cluster.nft;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Which bucket of a hash goes to which back end. No I/O, no state: a function of names and weights alone, so directors agree whether they have
 * run for long or have just started, and a source finds its back end again after a fail-over.
 *
 * <p>Three things are wanted of such a placement: shares that are exact, no bucket that moves without need, and no memory of the placement before.
 * All three cannot be had. Take two buckets and three back ends of which two are there, with one bucket each: if {a, b} is placed as {@code ab}, then
 * {a, c} must be {@code ac}, and {b, c} must be {@code cb} to be one move from the first, and {@code bc} to be one move from the second. With memory,
 * two directors that have heard things in another order would disagree for ever. So it is the moves that are not the fewest: when one back
 * end comes, goes or changes its weight, they are what its share changes by and some 1 % of all buckets, never more than {@link #SLACK} of them for 16 back ends.
 *
 * <ol>
 * <li>Weighted rendezvous (Thaler and Ravishankar 1998): a bucket goes to the back end with the smallest {@code rank / weight}, where the rank is
 *     exponentially distributed and depends on name and bucket. That moves nothing without need, with shares that are off by chance.
 * <li>Back ends with more than their share hand buckets to those with less, first those whose {@code rank / weight} suffers least.
 * </ol>
 */
final class Buckets {
    /** How many there are: a prime, so that no pattern of the hash meets one of the buckets. A weight is exact to a thousandth of the whole. */
    static final int SIZE = 1021;
    /** The part of all buckets that may move besides those that must. */
    static final double SLACK = 0.05;

    /** A bucket that one back end could hand to another, and how much worse it is there. */
    private record Offer(double cost, int bucket, int to) implements Comparable<Offer> {
        @Override
        public int compareTo(Offer other) {
            int order = Double.compare(cost, other.cost);
            order = order != 0 ? order : Integer.compare(bucket, other.bucket);
            return order != 0 ? order : Integer.compare(to, other.to);
        }
    }

    private Buckets() {
    }

    /**
     * Places all buckets.
     *
     * @param weights of back ends by name, not negative; one with 0 gets nothing
     * @return the name for each of {@link #SIZE} buckets; empty if all weights are 0
     */
    static List<String> place(Map<String, Integer> weights) {
        SortedMap<String, Integer> sorted = new TreeMap<>(weights);
        sorted.values().removeIf(weight -> weight <= 0);
        if (sorted.isEmpty()) {
            return List.of();
        }
        String[] names = sorted.keySet().toArray(String[]::new);
        int[] weight = sorted.values().stream().mapToInt(Integer::intValue).toArray();
        double[][] score = new double[names.length][];
        for (int i = 0; i < names.length; i++) {
            score[i] = ranks(names[i]);
            for (int bucket = 0; bucket < SIZE; bucket++) {
                score[i][bucket] /= weight[i];
            }
        }
        int[] owner = IntStream.range(0, SIZE).map(bucket -> best(score, bucket)).toArray();
        even(owner, score, quotas(weight));
        return Arrays.stream(owner).mapToObj(i -> names[i]).toList();
    }

    /**
     * How many buckets each gets: its share rounded down or up, together all of them (largest remainder). Who would get none comes first in rounding up.
     *
     * @param weight of each, more than 0
     */
    static int[] quotas(int[] weight) {
        long total = Arrays.stream(weight).asLongStream().sum();
        int[] quota = new int[weight.length];
        for (int i = 0; i < weight.length; i++) {
            quota[i] = (int) ((long) weight[i] * SIZE / total);
        }
        int[] order = IntStream.range(0, weight.length).boxed().sorted((a, b) -> {
            int none = Boolean.compare(quota[b] == 0, quota[a] == 0);
            int remainder = Long.compare((long) weight[b] * SIZE % total, (long) weight[a] * SIZE % total);
            return none != 0 ? none : remainder != 0 ? remainder : Integer.compare(a, b);
        }).mapToInt(Integer::intValue).toArray();
        int left = SIZE - Arrays.stream(quota).sum();
        for (int i = 0; i < left; i++) {
            quota[order[i]]++;
        }
        return quota;
    }

    private static int best(double[][] score, int bucket) {
        int best = 0;
        for (int i = 1; i < score.length; i++) {
            if (score[i][bucket] < score[best][bucket]) {
                best = i;
            }
        }
        return best;
    }

    private static void even(int[] owner, double[][] score, int[] quota) {
        int[] over = Arrays.stream(quota).map(each -> -each).toArray();
        for (int each : owner) {
            over[each]++;
        }
        PriorityQueue<Offer> offers = new PriorityQueue<>();
        for (int bucket = 0; bucket < SIZE; bucket++) {
            for (int to = 0; over[owner[bucket]] > 0 && to < quota.length; to++) {
                if (over[to] < 0) {
                    offers.add(new Offer(score[to][bucket] / score[owner[bucket]][bucket], bucket, to));
                }
            }
        }
        for (Offer offer = offers.poll(); offer != null; offer = offers.poll()) {
            // Who has given a bucket away may give another, but the bucket that has moved stays.
            if (over[owner[offer.bucket]] > 0 && over[offer.to] < 0) {
                over[owner[offer.bucket]]--;
                over[offer.to]++;
                owner[offer.bucket] = offer.to;
            }
        }
    }

    /** Exponentially distributed, one for each bucket, by a hash of name and bucket: the same on every machine. */
    private static double[] ranks(String name) {
        long seed = seed(name);
        // Not Math.log, which may differ in its last digit between machines; the upper 53 bits are what a double holds.
        return LongStream.range(0, SIZE).mapToDouble(bucket -> -StrictMath.log(((mix(seed + bucket * 0x9E3779B97F4A7C15L) >>> 11) + 0.5) * 0x1p-53)).toArray();
    }

    private static long seed(String name) {
        try {
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8))).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The finaliser of SplitMix64 (Steele, Lea and Flood 2014). */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}
