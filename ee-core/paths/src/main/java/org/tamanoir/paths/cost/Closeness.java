package org.tamanoir.paths.cost;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.paths.metrics.Spread;

/**
 * Closeness of two hosts, 0 for one that is not reachable to 1 for the same one or the same LAN (DataGRID, section 5.2.1). The paper that defines it could not be
 * found again; this formula is ours, by what section 5.2.1 and the parameters of section 10.1 say of it:
 *
 * <pre>C = (alpha * min(1, T / 1000 Mbit/s) + (1 - alpha) * 10 ms / (10 ms + RTT)) * (1 - loss)^2</pre>
 *
 * What is not known of throughput T or round trip counts as nothing, and loss that is not known as none; that is said.
 */
public final class Closeness implements CostFunction {
    /** What DataGRID leaves to the broker; half and half here if it says nothing. */
    public static final double ALPHA = 0.5;
    private static final double FULL_MBITS = 1000;
    private static final double NEAR_MS = 10;

    private final SampleBook book;
    private final double alpha;

    /** @param alpha weight of throughput against round trip, 0 to 1 @throws AnepException EE-408 if it is not */
    public Closeness(SampleBook book, double alpha) {
        if (!(alpha >= 0 && alpha <= 1)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "alpha is " + alpha + "; it must be from 0 to 1");
        }
        this.book = book;
        this.alpha = alpha;
    }

    /** The formula. @param mbits throughput @param roundTripMs more than 0; infinite if it is not known @param loss 0 to 1 */
    public static double of(double alpha, double mbits, double roundTripMs, double loss) {
        return (alpha * Math.min(1, mbits / FULL_MBITS) + (1 - alpha) * NEAR_MS / (NEAR_MS + roundTripMs)) * (1 - loss) * (1 - loss);
    }

    @Override
    public String name() {
        return "closeness";
    }

    @Override
    public boolean isMoreBetter() {
        return true;
    }

    @Override
    public Estimate between(String from, String to, Query query) {
        String near = book.whyNear(from, to);
        if (near != null) {
            return new Estimate(from, to, 1, 0, true, List.of(near));
        }
        Evidence rate = book.find(from, to, Metric.THROUGHPUT, query);
        Evidence roundTrip = book.find(from, to, Metric.ROUND_TRIP, query);
        Evidence lost = book.find(from, to, Metric.LOSS, query);
        List<String> why = new ArrayList<>();
        for (Evidence each : List.of(rate, roundTrip, lost)) {
            why.add(each.rule());
            why.addAll(each.lines(query.now()));
        }
        if (!rate.isKnown() && !roundTrip.isKnown()) {
            return new Estimate(from, to, 0, 0, false, why);
        }
        double mbits = middle(rate, 0);
        double millis = middle(roundTrip, Double.POSITIVE_INFINITY);
        double loss = middle(lost, 0);
        return new Estimate(from, to, of(alpha, mbits, millis, loss), error(mbits, rate.error(), millis, roundTrip.error(), loss, lost.error()), true, why);
    }

    private static double middle(Evidence evidence, double otherwise) {
        Spread spread = evidence.spread();
        return spread == null ? otherwise : spread.median();
    }

    /** To first order: each error times the slope of the formula in its direction. */
    private double error(double mbits, double mbitsError, double millis, double millisError, double loss, double lossError) {
        double kept = (1 - loss) * (1 - loss);
        double byRate = mbits >= FULL_MBITS ? 0 : alpha / FULL_MBITS * kept * mbitsError;
        double byRoundTrip = (1 - alpha) * NEAR_MS / Math.pow(NEAR_MS + millis, 2) * kept * millisError;
        double byLoss = 2 * (1 - loss) * of(alpha, mbits, millis, 0) * lossError;
        return Math.sqrt(byRate * byRate + byRoundTrip * byRoundTrip + byLoss * byLoss);
    }
}
