package org.tamanoir.services.qosdecision;

import java.util.concurrent.TimeUnit;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.History;
import org.tamanoir.service.qos.QosDecision.Question;
import org.tamanoir.service.qos.QosDecision.State;

/**
 * Whether a flow follows the {@link Ranking} now. It leaves a class at once that it may not use any more, or that misses a limit where another
 * one clearly does not. Everything else must be wanted some times in a row: what is cheaper, what is only just better. It stays where nothing is
 * measured: probes that vanish say nothing of the class.
 *
 * <p>Delay and loss are measured whoever is in a class. What a flow gets of it is seen while the flow is there: a short train passes an empty queue at the rate of the
 * link, whatever a stream would get. So a flow that has left a class because it got too little goes to a cheaper one the later the more often that has happened.
 */
final class Hysteresis {
    /** Beside twice a limit, a class at the limit is half: that is worth going to at once. One at 1.8 times is worth it after some periods. */
    private static final double CLEARLY_LESS = 0.5;
    private static final double LESS = 0.9;
    private static final int AT_ONCE = 1;
    /** A class that is left later than this has carried the flow: others may have come. */
    private static final long SOON = TimeUnit.SECONDS.toNanos(60);
    /** After each of the first failures in a row a cheaper class must be wanted so many times as often, as a power of two. */
    private static final int LONGER = 3;
    private static final int MOST_LONGER = 2;
    /** No round trip is longer; samples may say so. */
    private static final double MOST_RTT_MS = 60_000;

    private final Question question;
    private final Ranking ranking;
    private final DecisionSettings settings;

    Hysteresis(Question question, Ranking ranking, DecisionSettings settings) {
        this.question = question;
        this.ranking = ranking;
        this.settings = settings;
    }

    Choice decide() {
        History history = question.history();
        ClassAssessment current = history.className() == null ? null : ranking.usable(history.className());
        if (current == null) {
            return enter(history.className());
        }
        ClassAssessment target = ranking.target();
        if (current.isFeasible()) {
            ClassAssessment cheaper = ranking.cheaper(current.qosClass(), settings);
            return cheaper == null ? stay(current, whyItStays(current, target)) : want(current, cheaper, settings.cheaper() << LONGER * longer(), "is cheaper and would do");
        }
        if (target == null || target == current) {
            return stay(current, target == null ? "nothing is measured now" : "it misses them least");
        }
        if (target.isFeasible()) {
            return want(current, target, current.isViolated() && Ranking.hasHeadroom(target, settings) ? AT_ONCE : settings.periods(), "meets every objective");
        }
        if (!current.isViolated()) {
            return stay(current, "its own measurements are missing and no class is known to be better");
        }
        double less = (1 + target.excess()) / (1 + current.excess());
        if (less <= LESS) {
            return want(current, target, less <= CLEARLY_LESS ? AT_ONCE : settings.periods(), "misses them less");
        }
        return stay(current, target.name() + " would hardly be better");
    }

    private static String whyItStays(ClassAssessment current, ClassAssessment target) {
        return target == current ? "it meets every objective" : "it meets every objective, and none that is cheaper does by a margin";
    }

    /** The first choice, or one after a class has gone. */
    private Choice enter(String before) {
        ClassAssessment target = ranking.target() != null ? ranking.target() : ranking.bestEffort();
        String left = before == null ? "" : before + " cannot be used any more: ";
        if (target == null) {
            return new Choice(null, State.UNKNOWN, left + "the domain has no class for this flow", ranking.findings(), History.NONE);
        }
        String why = !ranking.isAsked() ? "nothing is asked: best effort"
                : ranking.target() == null ? "nothing is measured yet: best effort"
                : target.isFeasible() ? "the cheapest class that meets every objective"
                : target.isViolated() ? "no class meets the objectives, this one misses them least" : "no class is known to meet the objectives";
        return choice(target, left + why, new History(target.name(), null, 0, question.nowNanos()));
    }

    private Choice stay(ClassAssessment current, String why) {
        return choice(current, "stays: " + why, new History(current.name(), null, 0, changedNanos(), question.history().failures()));
    }

    private int longer() {
        return Math.max(0, Math.min(question.history().failures(), MOST_LONGER));
    }

    /** @return how many failures there are when the flow leaves a class now */
    private int failures(ClassAssessment left) {
        int before = longer();
        if (!left.missesRate()) {
            return before;
        }
        return question.nowNanos() - changedNanos() > SOON ? 1 : before + 1;
    }

    /** Another class would be chosen: it is, if that has been so often enough. @param needed in a row */
    private Choice want(ClassAssessment current, ClassAssessment target, int needed, String why) {
        History history = question.history();
        boolean again = target.name().equals(history.wanted());
        int periods = again ? Math.min(Math.max(0, history.periods()), needed) + 1 : 1;
        long changed = changedNanos();
        boolean due = periods >= needed;
        if (due && question.nowNanos() - changed >= quiet(current)) {
            return choice(target, "left " + current.name() + ": this one " + why, new History(target.name(), null, 0, question.nowNanos(), failures(current)));
        }
        String wait = due ? ", but the last change is too near"
                : ", wanted " + periods + (periods == 1 ? " time of " : " times of ") + needed;
        return choice(current, "stays: " + target.name() + " " + why + wait, new History(current.name(), target.name(), periods, changed, history.failures()));
    }

    /** When the class was changed; now, if that is said to be in the future: the clock is another one. */
    private long changedNanos() {
        long changed = question.history().changedNanos();
        return question.nowNanos() - changed < 0 ? question.nowNanos() : changed;
    }

    /** The shortest time between two changes: on TCP, what is in flight arrives before what follows in another class. */
    private long quiet(ClassAssessment current) {
        if (question.transport() != Transport.TCP || current.sample() == null) {
            return settings.quiet();
        }
        double rtt = Metric.DELAY.of(current.sample(), question.transport());
        return rtt > 0 ? Math.max(settings.quiet(), (long) (Math.min(rtt, MOST_RTT_MS) * DecisionSettings.ROUND_TRIPS
                * TimeUnit.MILLISECONDS.toNanos(1))) : settings.quiet();
    }

    private Choice choice(ClassAssessment standing, String why, History history) {
        State state = !ranking.isAsked() || standing.meets() ? State.MET : standing.isViolated() ? State.DEGRADED : State.UNKNOWN;
        String reason = ranking.isAsked() ? standing.name() + ": " + why + " (" + standing.text() + ")" : standing.name() + ": " + why;
        return new Choice(standing.name(), state, reason, ranking.findings(), history);
    }
}
