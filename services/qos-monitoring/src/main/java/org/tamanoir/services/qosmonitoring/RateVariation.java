package org.tamanoir.services.qosmonitoring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How much the rate of flows in one class varies: the coefficient of variation of the rates of one second, that is their standard deviation by
 * their mean (so Floyd and others, <i>Equation-Based Congestion Control for Unicast Applications</i>, 2000, section 4.1, for the smoothness of a
 * flow on a time scale). Only seconds count in which the flow had more to send: how much a source varies says nothing of the class.
 */
final class RateVariation {
    /** Seconds that count, of one flow. */
    static final int SECONDS = 10;
    /** Fewer say nothing. */
    static final int LEAST = 5;
    /** Flows that are remembered; the one that was heard of least lately is forgotten. */
    static final int FLOWS = 16;
    /** What is older does not count. */
    static final long LONGEST_NANOS = 30_000_000_000L;
    /** Reports come about once a second; what is nearly one counts as one. */
    private static final long SECOND = 900_000_000L;
    private static final int PERCENT = 100;

    private final Map<Long, Series> flows = new LinkedHashMap<>(FLOWS, 0.75f, true);

    /**
     * Adds what a flow carried.
     *
     * @param enough whether it had more to send
     */
    void carried(long flow, long octets, long nanos, boolean enough, long nowNanos) {
        Series series = flows.computeIfAbsent(flow, key -> new Series());
        series.add(octets, nanos, enough, nowNanos);
        if (flows.size() > FLOWS) {
            Iterator<Long> oldest = flows.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** The median of all flows of which enough is known, per cent; NaN if there is none. */
    double percent(long nowNanos) {
        double[] known = flows.values().stream().mapToDouble(each -> each.percent(nowNanos)).filter(each -> !Double.isNaN(each)).sorted().toArray();
        return known.length == 0 ? Double.NaN : known[(known.length - 1) / 2];
    }

    /** Everything in Java's own classes, for the next version; {@link #load} reads it. */
    List<Map<String, Object>> save() {
        List<Map<String, Object>> saved = new ArrayList<>();
        flows.forEach((flow, series) -> saved.add(Map.of("flow", flow, "rates", Arrays.copyOf(series.rates, Math.min(series.count, SECONDS)), "times",
                Arrays.copyOf(series.times, Math.min(series.count, SECONDS)))));
        return saved;
    }

    /** Goes on with what another has known. */
    void load(List<?> saved) {
        for (Object each : saved) {
            Map<?, ?> one = (Map<?, ?>) each;
            double[] rates = (double[]) one.get("rates");
            long[] times = (long[]) one.get("times");
            Series series = new Series();
            series.count = Math.min(SECONDS, Math.min(rates.length, times.length));
            System.arraycopy(rates, 0, series.rates, 0, series.count);
            System.arraycopy(times, 0, series.times, 0, series.count);
            if (flows.size() < FLOWS) {
                flows.put((Long) one.get("flow"), series);
            }
        }
    }

    int flows() {
        return flows.size();
    }

    /** The rates of one flow. */
    private static final class Series {
        private final double[] rates = new double[SECONDS];
        private final long[] times = new long[SECONDS];
        private int count;
        private long octets;
        private long nanos;

        void add(long more, long time, boolean enough, long now) {
            if (!enough) {
                octets = 0;
                nanos = 0;
                return;
            }
            octets += more;
            nanos += time;
            if (nanos >= SECOND) {
                rates[count % SECONDS] = (double) octets / nanos;
                times[count % SECONDS] = now;
                count = count + 1 < 0 ? SECONDS : count + 1;
                octets = 0;
                nanos = 0;
            }
        }

        double percent(long now) {
            double[] fresh = new double[SECONDS];
            int size = 0;
            for (int i = 0; i < Math.min(count, SECONDS); i++) {
                if (now - times[i] <= LONGEST_NANOS) {
                    fresh[size++] = rates[i];
                }
            }
            double mean = Arrays.stream(fresh, 0, size).average().orElse(0);
            if (size < LEAST || mean == 0) {
                return Double.NaN;
            }
            double squares = Arrays.stream(fresh, 0, size).map(rate -> (rate - mean) * (rate - mean)).sum();
            return PERCENT * Math.sqrt(squares / (size - 1)) / mean;
        }
    }
}
