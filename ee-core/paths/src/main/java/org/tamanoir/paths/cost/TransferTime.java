package org.tamanoir.paths.cost;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.paths.forecast.Forecaster;
import org.tamanoir.paths.metrics.Numbers;
import org.tamanoir.paths.metrics.Spread;

/**
 * Seconds that a transfer takes: octets * 8 / throughput (DataGRID, section 10.1). The throughput is the median of the samples, its error where 68 of 100 of them
 * lie (section 5.2.3), or what {@link Forecaster} makes of them. Nothing on the same host or within a domain of which nothing else is known.
 */
public final class TransferTime implements CostFunction {
    private static final double BITS_PER_OCTET = 8;
    private static final double MEGA = 1e6;
    /** Of the forecasts, the least that a throughput is taken to be, as a part of the middle one. */
    private static final double FLOOR = 0.05;

    private final SampleBook book;
    private final boolean byForecast;

    /** @param byForecast whether the next throughput is forecast; the median of the samples otherwise */
    public TransferTime(SampleBook book, boolean byForecast) {
        this.book = book;
        this.byForecast = byForecast;
    }

    @Override
    public String name() {
        return "time";
    }

    @Override
    public Estimate between(String from, String to, Query query) {
        Evidence evidence = book.find(from, to, Metric.THROUGHPUT, query);
        String near = book.whyNear(from, to);
        if (near != null && (from.equals(to) || !evidence.isKnown())) {
            return new Estimate(from, to, 0, 0, true, List.of(near));
        }
        if (!evidence.isKnown()) {
            return new Estimate(from, to, unknown(), 0, false, List.of(evidence.rule()));
        }
        List<String> why = new ArrayList<>(List.of(evidence.rule()));
        Spread rate = byForecast ? forecast(evidence, why) : evidence.spread();
        if (!byForecast) {
            why.add("median " + Numbers.text(rate.median(), 6) + " Mbit/s, 68 of 100 from " + Numbers.text(rate.low(), 6) + " to " + Numbers.text(rate.high(), 6));
        }
        why.addAll(evidence.lines(query.now()));
        double slow = seconds(query, Math.max(rate.low(), FLOOR * rate.median()));
        double fast = seconds(query, rate.high());
        return new Estimate(from, to, seconds(query, rate.median()), (slow - fast) / 2, true, why);
    }

    private static Spread forecast(Evidence evidence, List<String> why) {
        Forecaster forecaster = new Forecaster();
        for (int i = evidence.samples().size() - 1; i >= 0; i--) {
            forecaster.add(evidence.samples().get(i).value());
        }
        Forecaster.Forecast next = forecaster.next();
        why.add("forecast " + Numbers.text(next.value(), 6) + " Mbit/s by " + next.predictor() + ", off by " + Numbers.text(next.meanError(), 3) + " on average");
        return Double.isNaN(next.low()) ? evidence.spread() : new Spread(next.count(), Math.max(next.low(), FLOOR * next.value()), next.value(), Math.max(next.high(), next.value()));
    }

    private static double seconds(Query query, double rate) {
        return rate <= 0 ? Float.MAX_VALUE : query.octets() * BITS_PER_OCTET / (rate * MEGA);
    }
}
