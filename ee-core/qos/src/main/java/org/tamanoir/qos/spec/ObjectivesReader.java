package org.tamanoir.qos.spec;

import java.util.Locale;
import org.tamanoir.service.qos.ServiceLevel.Goal;
import org.tamanoir.service.qos.ServiceLevel.Goal.Level;
import org.tamanoir.service.qos.ServiceLevel.Objectives;

/** Reads objectives: for each metric a limit, a word or a weight, and only one of them. */
final class ObjectivesReader {
    private static final double MOST_MS = 3_600_000;
    private static final double MOST_MBPS = 1_000_000;
    private static final double LEAST = 1e-6;
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
                goal(objectives, "rate", "wRate", "minRateMbps", objectives.number("minRateMbps", LEAST, MOST_MBPS, " Mbit/s")));
        objectives.end();
        checkWeights(objectives, read);
        return read;
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
