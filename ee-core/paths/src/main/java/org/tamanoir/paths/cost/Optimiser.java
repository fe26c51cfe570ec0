package org.tamanoir.paths.cost;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.plan.Plan;

/** The network-based grid optimiser (DataGRID, sections 5.2.3 and 10.1): where to compute, where to fetch from, where to gather. The clock is the caller's. */
public final class Optimiser {
    /** Entries of a list of hosts, and files of a request. */
    public static final int MOST = 10_000;
    /** Paths that one request may look at. */
    public static final long MOST_PATHS = 1_000_000;
    private static final double OCTETS_PER_MBY = 1e6;

    private final SampleBook book;

    public Optimiser(SampleBook book) {
        this.book = book;
    }

    /**
     * Cost of a transfer, as DataGRID's class has it.
     *
     * @param cost  seconds; {@code Float.MAX_VALUE} if nothing is known, and {@code why} says what is missing
     * @param error seconds
     */
    public record NetworkCosts(float cost, float error, Estimate why) {
        public float getCost() {
            return cost;
        }

        public float getError() {
            return error;
        }
    }

    /**
     * The best computing element, and for each file the best storage element to fetch it from.
     *
     * @param err     of {@code s}
     * @param s       score of the computing element: 0 to 1
     * @param isStale whether nothing at all was known of any of them, or nothing that is new enough: then it is the first of the list
     * @param why     the estimate for each file, of the computing element that was chosen
     */
    public record BestCeSes(String bestCe, List<String> bestSes, double err, double s, boolean isStale, List<Estimate> why) {
    }

    /**
     * What it costs to copy a file from one storage element to another. One element, as in DataGRID's first release.
     *
     * @param filesize      MBy, of 10^6 octets
     * @param now           milliseconds of the epoch
     * @param timeTolerance milliseconds
     * @throws AnepException EE-408 if the size is less than 0 or no number
     */
    public NetworkCosts[] getNetworkCosts(String seId1, String seId2, double filesize, long now, long timeTolerance) {
        checkSize(filesize);
        Estimate time = new TransferTime(book, false).between(seId1, seId2, Query.of(filesize * OCTETS_PER_MBY, now, timeTolerance));
        return new NetworkCosts[] {new NetworkCosts((float) time.value(), (float) time.error(), time)};
    }

    /**
     * Where to compute: the computing element whose sum of the closeness to the closest replica of each file is the largest. Of equal ones the first.
     *
     * @param ceList        candidates
     * @param seMx          for each file the storage elements that have it
     * @param alpha         of {@link Closeness}
     * @param timeTolerance milliseconds
     * @param toolNames     of round trip, throughput and loss, in this order; empty, or null in a place, for any
     * @param sizes         of the files in any unit, as their weights; empty if all count alike
     * @param now           milliseconds of the epoch
     * @throws AnepException EE-408 if a list is empty or too long, or a number out of its range
     */
    public BestCeSes getBestCeSes(List<String> ceList, List<List<String>> seMx, double alpha, long timeTolerance, List<String> toolNames, List<Double> sizes, long now) {
        checkList("CElist", ceList);
        checkList("SEmx", seMx);
        for (int file = 0; file < seMx.size(); file++) {
            checkList("SEmx: the row of file " + (file + 1), seMx.get(file));
        }
        long paths = ceList.size() * seMx.stream().mapToLong(List::size).sum();
        if (paths > MOST_PATHS) {
            throw bad("the request is for " + paths + " paths, more than " + MOST_PATHS);
        }
        if (!sizes.isEmpty() && sizes.size() != seMx.size() || !toolNames.isEmpty() && toolNames.size() != 3) {
            throw bad("there are " + sizes.size() + " sizes of " + seMx.size() + " files, and " + toolNames.size() + " tools of 3");
        }
        sizes.forEach(Optimiser::checkSize);
        double total = sizes.stream().mapToDouble(Double::doubleValue).sum();
        Closeness closeness = new Closeness(book, alpha);
        Query query = new Query(0, Plan.BEST_EFFORT, now, timeTolerance, tools(toolNames), 0);
        BestCeSes best = null;
        for (String ce : ceList) {
            List<Estimate> chosen = new ArrayList<>();
            double score = 0;
            double square = 0;
            for (int file = 0; file < seMx.size(); file++) {
                double weight = total > 0 ? sizes.get(file) / total : 1.0 / seMx.size();
                Estimate closest = rank(seMx.get(file), ce, query, closeness).get(0);
                chosen.add(closest);
                score += weight * closest.value();
                square += Math.pow(weight * closest.error(), 2);
            }
            if (best == null || score > best.s()) {
                best = new BestCeSes(ce, chosen.stream().map(Estimate::from).toList(), Math.sqrt(square), score, chosen.stream().noneMatch(Estimate::isKnown), chosen);
            }
        }
        return best;
    }

    private static Map<Metric, String> tools(List<String> names) {
        List<Metric> order = List.of(Metric.ROUND_TRIP, Metric.THROUGHPUT, Metric.LOSS);
        Map<Metric, String> tools = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i) != null && !names.get(i).isEmpty()) {
                tools.put(order.get(i), names.get(i));
            }
        }
        return tools;
    }

    /** Replicas by what it costs to fetch from each, the best first; of equal ones the first of the list, and those of which nothing is known behind all others. */
    public List<Estimate> rank(List<String> replicas, String destination, Query query, CostFunction function) {
        checkList("replicas", replicas);
        Comparator<Estimate> byValue = Comparator.comparingDouble(Estimate::value);
        return replicas.stream().map(replica -> function.between(replica, destination, query))
                .sorted(Comparator.comparing(Estimate::isKnown).reversed().thenComparing(function.isMoreBetter() ? byValue.reversed() : byValue)).toList();
    }

    /** The same for many destinations at once. */
    public Map<String, List<Estimate>> rankAll(List<String> replicas, List<String> destinations, Query query, CostFunction function) {
        checkList("destinations", destinations);
        if ((long) replicas.size() * destinations.size() > MOST) {
            throw bad("there are " + replicas.size() + " replicas and " + destinations.size() + " destinations; a request may have " + MOST + " pairs");
        }
        Map<String, List<Estimate>> ranked = new LinkedHashMap<>();
        destinations.forEach(each -> ranked.put(each, rank(replicas, each, query, function)));
        return ranked;
    }

    /**
     * Where to gather what is spread over several storage elements (DataGRID, section 5.1.2): where the sum of the times of all transfers is the least.
     *
     * @param octets of the fragments at each storage element
     * @return the candidates with the sum for each, the best first; one that cannot be reached from all is not known
     */
    public List<Estimate> gather(Map<String, Double> octets, List<String> candidates, long now, long timeTolerance) {
        checkList("candidates", candidates);
        checkList("fragments", List.copyOf(octets.keySet()));
        octets.values().forEach(Optimiser::checkSize);
        TransferTime time = new TransferTime(book, false);
        return candidates.stream().map(candidate -> {
            List<Estimate> parts = octets.entrySet().stream().map(each -> time.between(each.getKey(), candidate, Query.of(each.getValue(), now, timeTolerance))).toList();
            boolean known = parts.stream().allMatch(Estimate::isKnown);
            return new Estimate(String.join(", ", octets.keySet()), candidate, known ? parts.stream().mapToDouble(Estimate::value).sum() : time.unknown(),
                    known ? Math.sqrt(parts.stream().mapToDouble(each -> each.error() * each.error()).sum()) : 0, known,
                    parts.stream().flatMap(each -> each.why().stream().map(line -> each.from() + ": " + line)).toList());
        }).sorted(Comparator.comparingDouble(Estimate::value)).toList();
    }

    private static void checkList(String what, List<?> list) {
        if (list.isEmpty() || list.size() > MOST) {
            throw bad(what + " has " + list.size() + " entries; it must have from 1 to " + MOST);
        }
    }

    private static void checkSize(double size) {
        if (!(size >= 0 && size < Double.POSITIVE_INFINITY)) {
            throw bad("a size is " + size + "; it must be a number from 0");
        }
    }

    private static AnepException bad(String what) {
        return new AnepException(ErrorCode.BAD_REQUEST, what);
    }
}
