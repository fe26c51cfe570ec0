package org.tamanoir.service.qos;

import java.util.List;
import org.tamanoir.service.Transport;

/**
 * Chooses the class of a session: the same answer to the same question, whoever asks. What it has to remember is in the question and the
 * answer, so it can be replaced between two of them. Type ID {@value #TYPE_ID}. Safe for all threads.
 */
public interface QosDecision {
    /** The Type ID of the service that does this. */
    int TYPE_ID = 0x5408;

    /** Chooses. */
    Choice choose(Question question);

    /**
     * What there is to decide.
     *
     * @param level      what the flow needs
     * @param transport  of the flow
     * @param rate       octets a second that would be allocated to it
     * @param segments   into how many parts the path is divided: this one keeps its share of delay, jitter and loss
     * @param candidates classes of the domain
     * @param history    what the choice before said; {@link History#NONE} for the first
     * @param nowNanos   the time; only differences mean something
     */
    record Question(ServiceLevel level, Transport transport, long rate, int segments, List<Candidate> candidates, History history,
            long nowNanos) {
        public Question {
            candidates = List.copyOf(candidates);
        }
    }

    /**
     * A class that could be chosen.
     *
     * @param sample    what is known of it; null for nothing
     * @param available octets a second that are left in it for this session, its own share included; {@link Long#MAX_VALUE} in a class without
     *                  guarantee
     */
    record Candidate(QosClass qosClass, ClassSample sample, long available) {
    }

    /**
     * What is remembered from one choice to the next.
     *
     * @param className    chosen; null before the first choice
     * @param wanted       another class that would have been chosen lately; null for none
     * @param periods      how many times in a row that was so
     * @param changedNanos when the class was changed
     * @param failures     how many times in a row the flow has left a class soon because it got too little there
     */
    record History(String className, String wanted, int periods, long changedNanos, int failures) {
        public static final History NONE = new History(null, null, 0, 0);

        /** One in which no class has failed. */
        public History(String className, String wanted, int periods, long changedNanos) {
            this(className, wanted, periods, changedNanos, 0);
        }
    }

    /**
     * What was chosen.
     *
     * @param className the class; null if the domain has none that this flow may use
     * @param state     how well it does
     * @param reason    a sentence for people
     * @param findings  what was found of each class, in the order in which they were looked at
     * @param history   for the next question
     */
    record Choice(String className, State state, String reason, List<Finding> findings, History history) {
        public Choice {
            findings = List.copyOf(findings);
        }
    }

    /** How well the chosen class does. */
    enum State {
        /** Every objective is met. */
        MET,
        /** No class meets them; this one misses them least. */
        DEGRADED,
        /** Nothing has been measured yet. */
        UNKNOWN
    }

    /**
     * What was found of a class.
     *
     * @param feasible whether it would do
     * @param score    the smaller the better; what it means is the decision's to say
     * @param text     why, for people
     */
    record Finding(String className, boolean feasible, double score, String text) {
    }
}
