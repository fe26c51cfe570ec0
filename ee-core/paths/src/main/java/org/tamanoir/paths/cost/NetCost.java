package org.tamanoir.paths.cost;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * NetCost of GlueDomains (section 5.1, after DIANA), in the units in which its figure 8 comes out:
 *
 * <pre>(RTT + loss + jitter) * RTT * sqrt(max(loss, 1)) / MSS</pre>
 *
 * with the round trip in milliseconds (the figure says seconds), loss in millionths, jitter in microseconds and the MSS in octets. It adds what has different units,
 * so it puts paths into an order and says nothing else; it stands here to be compared with. The figure prints 1447 for ASTRO, where this gives 1477.7.
 */
public final class NetCost implements CostFunction {
    private static final double MILLION = 1e6;
    private static final double MICROS_PER_MS = 1000;

    private final SampleBook book;
    private final int mss;

    /** @param mss octets of a segment, more than 0 */
    public NetCost(SampleBook book, int mss) {
        this.book = book;
        this.mss = mss;
    }

    /**
     * The formula.
     *
     * @param roundTripMs  more than 0
     * @param jitterMicros 0 or more
     * @param lossMillionths 0 or more
     * @throws AnepException EE-408 if one of them is not
     */
    public static double of(int mss, double roundTripMs, double jitterMicros, double lossMillionths) {
        if (mss <= 0 || !(roundTripMs > 0) || !(jitterMicros >= 0) || !(lossMillionths >= 0)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "NetCost of MSS " + mss + ", round trip " + roundTripMs + ", jitter " + jitterMicros + " and loss " + lossMillionths
                    + ": the first two must be more than 0 and the others 0 or more");
        }
        return (roundTripMs + lossMillionths + jitterMicros) * roundTripMs * Math.sqrt(Math.max(lossMillionths, 1)) / mss;
    }

    @Override
    public String name() {
        return "netcost";
    }

    @Override
    public Estimate between(String from, String to, Query query) {
        String near = book.whyNear(from, to);
        if (from.equals(to)) {
            return new Estimate(from, to, 0, 0, true, List.of(near));
        }
        List<Evidence> all = Stream.of(Metric.ROUND_TRIP, Metric.JITTER, Metric.LOSS).map(metric -> book.find(from, to, metric, query)).toList();
        List<String> why = new ArrayList<>();
        for (Evidence each : all) {
            why.add(each.rule());
            why.addAll(each.lines(query.now()));
        }
        if (all.stream().anyMatch(each -> !each.isKnown())) {
            return new Estimate(from, to, unknown(), 0, false, why);
        }
        double middle = of(all.get(0).spread().median(), all.get(1).spread().median(), all.get(2).spread().median());
        double most = of(all.get(0).spread().high(), all.get(1).spread().high(), all.get(2).spread().high());
        double least = of(Math.max(1e-6, all.get(0).spread().low()), all.get(1).spread().low(), all.get(2).spread().low());
        return new Estimate(from, to, middle, (most - least) / 2, true, why);
    }

    private double of(double roundTripMs, double jitterMs, double loss) {
        return of(mss, roundTripMs, jitterMs * MICROS_PER_MS, loss * MILLION);
    }
}
