package org.tamanoir.services.qosdecision;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosDecision.Candidate;
import org.tamanoir.service.qos.QosDecision.Finding;
import org.tamanoir.service.qos.QosDecision.Question;

/**
 * What the measurements of one moment say: the cheapest class that keeps every limit and, where metrics are weighed, is about as good as the
 * best of those; if there is none, the class that misses least.
 *
 * <p>Scores are weighted geometric means: the ratio of two classes then does not depend on a third, so a class that gets better takes nobody's
 * place but for itself or for a better one.
 */
final class Ranking {
    private static final int DEFAULT_CODE_POINT = 0;
    private static final Comparator<ClassAssessment> CHEAPEST = Comparator.<ClassAssessment>comparingInt(each -> each.qosClass().cost())
            .thenComparing(Comparator.comparingDouble(ClassAssessment::margin).reversed()).thenComparingDouble(ClassAssessment::weighted)
            .thenComparing(ClassAssessment::name);
    private static final Comparator<ClassAssessment> LEAST_MISSED = Comparator.comparingDouble(ClassAssessment::excess).thenComparing(CHEAPEST);
    private static final Comparator<ClassAssessment> IN_ORDER = Comparator.<ClassAssessment>comparingInt(each -> each.qosClass().cost())
            .thenComparing(ClassAssessment::name);

    private final List<ClassAssessment> standings;
    private final boolean asked;
    private final ClassAssessment target;

    Ranking(Question question, DecisionSettings settings) {
        FlowNeeds needs = FlowNeeds.of(question.level().objectives(), question.segments(), settings);
        asked = !needs.isEmpty();
        standings = new ArrayList<>(question.candidates().size());
        for (Candidate candidate : question.candidates()) {
            standings.add(new ClassAssessment(candidate, question.transport(), question.rate(), needs, settings.fresh()));
        }
        standings.sort(IN_ORDER);
        double best = Double.POSITIVE_INFINITY;
        for (ClassAssessment each : standings) {
            best = each.meets() ? Math.min(best, each.weighted()) : best;
        }
        for (ClassAssessment each : standings) {
            each.judge(best, settings.tolerance() / 100.0);
        }
        target = choose();
    }

    private ClassAssessment choose() {
        if (!asked) {
            return bestEffort();
        }
        ClassAssessment cheapest = null;
        ClassAssessment least = null;
        for (ClassAssessment each : standings) {
            if (each.isFeasible() && (cheapest == null || CHEAPEST.compare(each, cheapest) < 0)) {
                cheapest = each;
            }
            if (each.isUsable() && each.isKnown() && (least == null || LEAST_MISSED.compare(each, least) < 0)) {
                least = each;
            }
        }
        return cheapest != null ? cheapest : least;
    }

    /** The class to be in; null if there is none about which something is known. */
    ClassAssessment target() {
        return target;
    }

    /** Whether the flow needs anything. */
    boolean isAsked() {
        return asked;
    }

    /** The class for a flow of which nothing is known: the default of RFC 2474, or what comes nearest; null if it may use none. */
    ClassAssessment bestEffort() {
        ClassAssessment nearest = null;
        for (ClassAssessment each : standings) {
            if (each.isUsable()) {
                if (!each.qosClass().isProvisioned() && each.qosClass().green() == DEFAULT_CODE_POINT) {
                    return each;
                }
                if (nearest == null || !each.qosClass().isProvisioned()) {
                    nearest = each;
                }
            }
        }
        return nearest;
    }

    /** The cheapest class that costs less than another one and is feasible by a margin; null if there is none. */
    ClassAssessment cheaper(QosClass than, DecisionSettings settings) {
        if (!asked) {
            return target.name().equals(than.name()) ? null : target;
        }
        for (ClassAssessment each : standings) {
            if (each.qosClass().cost() < than.cost() && each.isFeasible() && hasHeadroom(each, settings)) {
                return each;
            }
        }
        return null;
    }

    /** Whether a class is known to keep its limits by a margin, and is not at the edge of what is about as good as the best. */
    static boolean hasHeadroom(ClassAssessment standing, DecisionSettings settings) {
        return !standing.isUnmeasured() && standing.margin() >= 1 + settings.headroom() / 100.0 && standing.worse() <= settings.tolerance() / 200.0;
    }

    /** A class by its name, if the flow may be in it; or null. */
    ClassAssessment usable(String name) {
        for (ClassAssessment each : standings) {
            if (each.name().equals(name) && each.isUsable()) {
                return each;
            }
        }
        return null;
    }

    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>(standings.size());
        for (ClassAssessment each : standings) {
            findings.add(each.finding());
        }
        return findings;
    }
}
