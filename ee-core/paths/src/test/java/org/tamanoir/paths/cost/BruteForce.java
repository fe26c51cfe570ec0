package org.tamanoir.paths.cost;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.tamanoir.paths.cost.Optimiser.BestCeSes;
import org.tamanoir.paths.topology.Topology;

/**
 * A random case of {@code getBestCeSes}, as the seed defines it, with all that can be chosen tried one after the other. For tests, and for {@code bench observatory}.
 */
public final class BruteForce {
    private static final long NOW = 1_000_000_000_000L;
    private static final long TOLERANCE = 600_000;
    private static final double ROUNDING = 1e-9;

    private BruteForce() {
    }

    private static Sample sample(String from, String to, Metric metric, double value, long age) {
        return new Sample(from, to, "be", metric, value, 0.1, NOW - age, "tool", "node", 0, 0);
    }

    /** @return null if the optimiser answers what brute force does; else both */
    public static String compare(long seed) {
        Random random = new Random(seed);
        List<String> ces = IntStream.range(0, 1 + random.nextInt(5)).mapToObj(i -> "ce" + i).toList();
        List<String> ses = IntStream.range(0, 1 + random.nextInt(6)).mapToObj(i -> i < 2 && i < ces.size() && random.nextInt(8) == 0 ? "ce" + i : "se" + i).distinct().toList();
        SampleBook book = new SampleBook(Topology.NONE);
        double alpha = random.nextInt(11) / 10.0;
        Map<String, Double> known = new HashMap<>();
        for (String se : ses) {
            for (String ce : ces) {
                double mbits = 1 + random.nextInt(1200);
                double millis = 1 + random.nextInt(200);
                double loss = random.nextInt(4) == 0 ? random.nextInt(100) / 100.0 : 0;
                boolean stale = random.nextInt(6) == 0;
                boolean none = random.nextInt(6) == 0;
                if (!none) {
                    book.add(sample(se, ce, Metric.THROUGHPUT, mbits, stale ? TOLERANCE + 1 : random.nextInt(1000)), NOW);
                    book.add(sample(se, ce, Metric.ROUND_TRIP, millis, stale ? TOLERANCE + 1 : random.nextInt(1000)), NOW);
                    book.add(sample(se, ce, Metric.LOSS, loss, random.nextInt(1000)), NOW);
                }
                known.put(se + ce, se.equals(ce) ? 1.0 : none || stale ? 0.0 : Closeness.of(alpha, mbits, millis, loss));
            }
        }
        List<List<String>> rows = new ArrayList<>();
        List<Double> sizes = new ArrayList<>();
        for (int file = 0; file <= random.nextInt(5); file++) {
            List<String> row = ses.stream().filter(se -> random.nextInt(2) == 0).toList();
            rows.add(row.isEmpty() ? ses : row);
            sizes.add(1.0 + random.nextInt(1000));
        }
        boolean weighted = random.nextBoolean();
        double total = sizes.stream().mapToDouble(Double::doubleValue).sum();
        double best = -1;
        String bestCe = null;
        for (String ce : ces) {
            double score = 0;
            for (int file = 0; file < rows.size(); file++) {
                double closest = rows.get(file).stream().mapToDouble(se -> known.get(se + ce)).max().orElseThrow();
                score += closest * (weighted ? sizes.get(file) / total : 1.0 / rows.size());
            }
            if (score > best + 1e-12) {
                best = score;
                bestCe = ce;
            }
        }
        BestCeSes answer = new Optimiser(book).getBestCeSes(ces, rows, alpha, TOLERANCE, List.of(), weighted ? sizes : List.of(), NOW);
        boolean isEqual = Math.abs(answer.s() - best) < ROUNDING && answer.bestCe().equals(bestCe) && answer.bestSes().size() == rows.size()
                && answer.isStale() == answer.why().stream().noneMatch(Estimate::isKnown);
        for (int file = 0; isEqual && file < rows.size(); file++) {
            String chosen = answer.bestSes().get(file);
            isEqual = rows.get(file).contains(chosen) && rows.get(file).stream().allMatch(se -> known.get(se + answer.bestCe()) <= known.get(chosen + answer.bestCe()) + ROUNDING);
        }
        return isEqual ? null : "seed " + seed + ": " + answer + ", and by brute force " + bestCe + " with " + best;
    }
}
