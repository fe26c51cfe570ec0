package org.tamanoir.qos.spec;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.tamanoir.anep.AnepException;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.qos.ServiceLevel.Goal;
import org.tamanoir.service.qos.ServiceLevel.Goal.Level;
import org.tamanoir.service.qos.ServiceLevel.Objectives;
import org.tamanoir.service.qos.ServiceLevel.Transfer;

/** Reads objectives: for each metric a limit, a word or a weight, and only one of them. */
final class ObjectivesReader {
    private static final double MOST_MS = 3_600_000;
    private static final double MOST_MBPS = 1_000_000;
    /** Per cent: a flow that comes in one second of a hundred. */
    private static final double MOST_VARIATION = 1000;
    private static final double LEAST = 1e-6;
    /** Octets; an exabyte. */
    private static final long MOST_SIZE = 1_000_000_000_000_000_000L;
    /** What is measured every second cannot steer less. */
    private static final Duration LEAST_WITHIN = Duration.ofSeconds(1);
    /** By how much a sum of decimal weights may miss 1. */
    private static final double ROUNDING = 1e-6;

    private ObjectivesReader() {
    }

    static Objectives read(Fields objectives) {
        if (objectives == null) {
            return Objectives.NONE;
        }
        Objectives read = new Objectives(
                goal(objectives, "delay", "wDelay", "maxDelayMs", objectives.number("maxDelayMs", LEAST, MOST_MS, " ms")),
                goal(objectives, "jitter", null, "maxJitterMs", objectives.number("maxJitterMs", LEAST, MOST_MS, " ms")),
                goal(objectives, "loss", "wLoss", "maxLossPct", objectives.number("maxLossPct", 0, 100, " per cent")),
                goal(objectives, "rate", "wRate", "minRateMbps", objectives.number("minRateMbps", LEAST, MOST_MBPS, " Mbit/s")),
                goal(objectives, "stability", null, "maxRateVariationPct", objectives.number("maxRateVariationPct", LEAST, MOST_VARIATION, " per cent")),
                transfer(objectives));
        objectives.end();
        checkWeights(objectives, read);
        return read;
    }

    private static Transfer transfer(Fields objectives) {
        long size = objectives.whole("size", 0, 1, MOST_SIZE, " octets");
        String within = objectives.text("within");
        Instant by = objectives.time("by");
        if (size == 0 && within == null && by == null) {
            return null;
        }
        if (size == 0) {
            throw objectives.bad("size", "is missing: what has to be there " + (by == null ? "within " + within : "by " + by));
        }
        if ((within == null) == (by == null)) {
            throw objectives.bad("size", "needs a time: say one of within and by");
        }
        return new Transfer(size, within == null ? null : duration(objectives, within), by);
    }

    private static Duration duration(Fields objectives, String text) {
        Duration time;
        try {
            time = MapConfiguration.parseDuration("within", text);
        } catch (AnepException e) {
            throw objectives.bad("within", "is '" + text + "'; it must be a time such as 90s, 5m or 2h, at most 24 days");
        }
        if (time.compareTo(LEAST_WITHIN) < 0) {
            throw objectives.bad("within", "is " + text + "; it must be at least " + LEAST_WITHIN.toSeconds() + "s");
        }
        return time;
    }

    private static Goal goal(Fields objectives, String word, String weight, String limit, double value) {
        double weighed = weight == null ? Double.NaN : objectives.number(weight, 0, 1, "");
        Level level = level(objectives, word);
        int styles = (Double.isNaN(value) ? 0 : 1) + (level == null ? 0 : 1) + (Double.isNaN(weighed) ? 0 : 1);
        if (styles > 1) {
            throw objectives.bad(word, "is asked for in " + styles + " ways; say one of " + limit + ", " + word
                    + (weight == null ? "" : ", " + weight));
        }
        if (level != null) {
            return new Goal.Wish(level);
        }
        if (!Double.isNaN(value)) {
            return new Goal.Limit(value);
        }
        // A metric that weighs nothing is one that nobody asks for.
        return Double.isNaN(weighed) || weighed == 0 ? null : new Goal.Weight(weighed);
    }

    private static Level level(Fields objectives, String word) {
        String text = objectives.text(word);
        if (text == null) {
            return null;
        }
        try {
            return Level.valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw objectives.bad(word, "is '" + text + "'; it must be low, medium or high");
        }
    }

    private static void checkWeights(Fields objectives, Objectives read) {
        double sum = weight(read.delay()) + weight(read.loss()) + weight(read.rate());
        boolean said = objectives.has("wDelay") || objectives.has("wLoss") || objectives.has("wRate");
        if (said && Math.abs(sum - 1) > ROUNDING) {
            throw objectives.bad("wDelay, wRate and wLoss", "add up to " + sum + "; it must be 1");
        }
    }

    private static double weight(Goal goal) {
        return goal instanceof Goal.Weight weight ? weight.weight() : 0;
    }
}
