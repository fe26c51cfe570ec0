package org.tamanoir.dyram.receiver;

import org.tamanoir.dyram.wire.Message.Answer;
import org.tamanoir.dyram.wire.Message.Challenge;

/**
 * How a receiver asks to take part. Whoever announces by the group may have made its address up: until it answers it is sent less than three times
 * what came.
 */
final class Handshake {
    /** Joins that an announcement is worth: with the longest name two are 242 octets, three announcements 288 and more. */
    private static final int JOINS_FOR_ONE = 2;
    private static final long ANSWER_PAUSE = 20_000_000;

    private boolean asks;
    private int joinsLeft;
    private long nextAnswer = Long.MIN_VALUE;
    private Answer answer;

    /** A session was found. */
    void begin(long now) {
        answer = null;
        nextAnswer = now;
        announced();
    }

    /** The next place has announced the session again. */
    void announced() {
        joinsLeft = JOINS_FOR_ONE;
    }

    /** It asks. @param known whether the next place has shown that it is where it says @return whether it may */
    boolean ask(boolean known) {
        asks = true;
        return known || joinsLeft-- > 0;
    }

    /** Whether it was not answered yet. */
    boolean asks() {
        return asks;
    }

    void accepted() {
        asks = false;
    }

    /** A challenge may be answered with one more join. */
    void again() {
        joinsLeft = Math.max(1, joinsLeft);
    }

    boolean mayAnswer(long now) {
        return now >= nextAnswer;
    }

    Answer answer(long now, Challenge challenge) {
        nextAnswer = now + ANSWER_PAUSE;
        answer = new Answer(challenge.session(), challenge.cookie());
        return answer;
    }

    /** What was answered last, as it may have been lost; null for nothing. */
    Answer lastAnswer() {
        return answer;
    }
}
