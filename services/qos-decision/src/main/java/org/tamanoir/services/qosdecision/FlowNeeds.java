package org.tamanoir.services.qosdecision;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.service.qos.ServiceLevel.Goal;
import org.tamanoir.service.qos.ServiceLevel.Objectives;

/**
 * What a flow needs of one segment, in numbers.
 *
 * @param limits  to be kept
 * @param weights of metrics that are compared between classes
 */
record FlowNeeds(List<Need> limits, List<Need> weights) {
    /**
     * One of them.
     *
     * @param value a limit in the unit of the metric, or a weight over 0
     */
    record Need(Metric metric, double value) {
    }

    /** An equal share of delay, jitter and loss for each segment; every segment must carry the rate, and as steadily. */
    static FlowNeeds of(Objectives objectives, int segments, DecisionSettings settings) {
        FlowNeeds needs = new FlowNeeds(new ArrayList<>(5), new ArrayList<>(4));
        int parts = Math.max(1, segments);
        needs.add(Metric.DELAY, objectives.delay(), parts, settings);
        needs.add(Metric.JITTER, objectives.jitter(), parts, settings);
        needs.add(Metric.LOSS, objectives.loss(), parts, settings);
        needs.add(Metric.RATE, objectives.rate(), 1, settings);
        needs.add(Metric.VARIATION, objectives.stability(), 1, settings);
        return needs;
    }

    private void add(Metric metric, Goal goal, int parts, DecisionSettings settings) {
        if (goal instanceof Goal.Limit limit) {
            limits.add(new Need(metric, metric.limit(limit.value()) / parts));
        } else if (goal instanceof Goal.Wish wish) {
            limits.add(new Need(metric, settings.words().get(metric).get(wish.level()) / parts));
        } else if (goal instanceof Goal.Weight weight && weight.weight() > 0) {
            weights.add(new Need(metric, weight.weight()));
        }
    }

    boolean isEmpty() {
        return limits.isEmpty() && weights.isEmpty();
    }
}
