package org.tamanoir.services.qosmonitoring;

import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Answers.Answer;

/**
 * What came back of a train, one answer a probe at most, whatever a reflector has made up: numbers that were not sent and second answers
 * are left out, and times that cannot be are not used.
 */
final class ReceivedTrain {
    /** How much longer than its patience a node may take to notice; nanoseconds. */
    private static final long SLACK_NANOS = 100_000_000;

    private final Answer[] answers;
    private final boolean[] timed;
    /** What was sent may be any of its probes: a kernel without room refuses some and takes the next ones. */
    private final int sent;
    private final int answered;
    private final int implausible;

    private ReceivedTrain(Answers from) {
        answers = new Answer[from.train().packets()];
        timed = new boolean[answers.length];
        sent = Math.max(0, Math.min(from.sent(), answers.length));
        long longest = from.train().gap().toNanos() * answers.length + from.train().patience().toNanos() + SLACK_NANOS;
        int distinct = 0;
        int odd = 0;
        for (Answer answer : from.answers()) {
            int number = answer.number();
            if (number < 0 || number >= answers.length || answers[number] != null) {
                odd++;
                continue;
            }
            answers[number] = answer;
            timed[number] = isPossible(answer, longest);
            odd += timed[number] ? 0 : 1;
            distinct++;
        }
        answered = Math.min(distinct, sent);
        implausible = odd;
    }

    static ReceivedTrain of(Answers answers) {
        return new ReceivedTrain(answers);
    }

    /** A clock that was set between the two readings gives a time below nothing or beyond all patience; so does a reflector that lies. */
    private static boolean isPossible(Answer answer, long longest) {
        long away = answer.hereNanos() - answer.sentNanos();
        long inside = answer.backNanos() - answer.arrivedNanos();
        return away >= 0 && away <= longest && inside >= 0 && inside <= away;
    }

    /** Probes of the train, sent or not: they are numbered from 0. */
    int packets() {
        return answers.length;
    }

    /** Probes that were sent. */
    int sent() {
        return sent;
    }

    /** Probes that were answered. */
    int answered() {
        return answered;
    }

    int lost() {
        return sent - answered;
    }

    /** Answers that were left out, or whose times were. */
    int implausible() {
        return implausible;
    }

    /** The answer to a probe if its times can be used, else null. */
    Answer timed(int number) {
        return timed[number] ? answers[number] : null;
    }

    /** The answer to a probe, else null. */
    Answer answer(int number) {
        return answers[number];
    }

    /**
     * From the first probe that was answered to the arrival of the newest answer, by the clock here; nanoseconds, 0 if no times can be used.
     */
    long spanNanos() {
        long first = 0;
        long span = 0;
        boolean any = false;
        for (int i = 0; i < answers.length; i++) {
            if (timed[i]) {
                first = any ? first : answers[i].sentNanos();
                any = true;
                span = Math.max(span, answers[i].hereNanos() - first);
            }
        }
        return span;
    }

    /**
     * Whether no clock was set between two probes: as the way there takes no longer than the way there and back, two delays there cannot
     * differ by more than the larger round trip. What the reflector's clock drifts meanwhile is allowed for.
     */
    static boolean isConsistent(Answer one, Answer other) {
        long most = Math.max(one.roundTripNanos(), other.roundTripNanos());
        long drift = Math.abs(other.sentNanos() - one.sentNanos()) / 1000 + 1000;
        return Math.abs(other.oneWayNanos() - one.oneWayNanos()) <= most + drift;
    }
}
