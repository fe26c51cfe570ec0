package org.tamanoir.node.tuning;

import java.util.Locale;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.tuning.Trial.Outcome;
import org.tamanoir.node.tuning.Trial.Voice;

/** A rule in force and what is known of it. For any thread: legs of all loops ask it when they begin and end, and not in between. */
final class RuleState {
    /** How a rule stands, whatever the kernel says. */
    enum Standing { PROBATION, CONFIRMED, TAKEN_BACK, FIXED }

    private final TuneRule rule;
    private Trial trial;
    private Standing standing;
    private String reason;
    /** Why the kernel does not do it; null if it does. */
    private String refused;
    private int turn;
    private long tuned;
    private long untuned;

    /**
     * What a leg gets.
     *
     * @param turn  of the rule: with another one the leg is to ask again
     * @param voice of the leg in the trial; null if there is none
     */
    record Given(boolean tuned, int turn, Voice voice) {
    }

    RuleState(TuneRule rule, long seed) {
        this.rule = rule;
        begin(seed);
    }

    private void begin(long seed) {
        standing = rule.proves() ? Standing.PROBATION : Standing.FIXED;
        trial = rule.proves() ? new Trial(seed) : null;
        reason = null;
        turn++;
    }

    TuneRule rule() {
        return rule;
    }

    synchronized int turn() {
        return turn;
    }

    synchronized Given next() {
        boolean on = refused == null && standing != Standing.TAKEN_BACK;
        boolean proves = on && standing == Standing.PROBATION;
        boolean gets = on && (!proves || trial.next());
        if (gets) {
            tuned++;
        } else {
            untuned++;
        }
        return new Given(gets, turn, proves ? new Voice(gets) : null);
    }

    /** A leg of a turn says something. @return what to tell the operator; null for nothing */
    synchronized String heard(Given given, LegSample said) {
        if (given.turn() != turn || standing != Standing.PROBATION) {
            return null;
        }
        Outcome outcome = trial.heard(given.voice(), said);
        if (outcome == null) {
            return null;
        }
        standing = outcome.harms() ? Standing.TAKEN_BACK : Standing.CONFIRMED;
        reason = outcome.reason();
        turn++;
        return "rule " + rule.name() + " is " + word(standing) + ": " + reason;
    }

    /** The kernel does not do it (null: it does). @return what to tell the operator; null if that is known */
    synchronized String refused(String why) {
        boolean isNew = (why == null) != (refused == null);
        refused = why;
        if (!isNew) {
            return null;
        }
        turn++;
        return "rule " + rule.name() + (why == null ? " is in force: the kernel does it now" : " is refused, and its streams run as before: " + problem());
    }

    /** Why the kernel does not do it, with its code; null if it does. */
    synchronized String problem() {
        return refused == null ? null : ErrorCode.NOT_TUNABLE + " " + refused;
    }

    /** It has to prove itself anew. */
    synchronized void reset(long seed) {
        begin(seed);
        tuned = 0;
        untuned = 0;
    }

    synchronized boolean isTakenBack() {
        return standing == Standing.TAKEN_BACK;
    }

    synchronized RuleStatus status() {
        return new RuleStatus(rule.name(), rule.match().toString(), rule.tuning().toString(), refused != null ? "refused" : word(standing), tuned, untuned,
                trial == null ? null : trial.with(), trial == null ? null : trial.without(), refused != null ? problem() : reason);
    }

    private static String word(Standing standing) {
        return standing.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
