package org.tamanoir.dyram.receiver;

import java.net.InetSocketAddress;
import org.tamanoir.dyram.wire.Message.Answer;
import org.tamanoir.dyram.wire.Message.Challenge;
import org.tamanoir.dyram.wire.Message.Join;
import org.tamanoir.dyram.wire.Outlet;
import org.tamanoir.dyram.wire.SessionKey;

/**
 * How a receiver asks to take part. Whoever announces by the group may have made its address up: until it answers it is sent less than three times
 * what came.
 */
final class Handshake {
    /** Joins that an announcement is worth: with the longest name two are 242 octets, three announcements 288 and more. */
    private static final int JOINS_FOR_ONE = 2;
    private static final long ANSWER_PAUSE = 20_000_000;

    private final ReceiverSettings settings;
    private final Outlet outlet;
    private boolean asks;
    private int joinsLeft;
    private long nextAnswer = Long.MIN_VALUE;
    private long nextBeside = Long.MIN_VALUE;
    private boolean begun;
    private Answer answer;

    Handshake(ReceiverSettings settings, Outlet outlet) {
        this.settings = settings;
        this.outlet = outlet;
    }

    /** A session was found. */
    void begin(long now) {
        answer = null;
        begun = true;
        nextAnswer = now;
        announced();
    }

    /** The next place has announced the session again. */
    void announced() {
        joinsLeft = JOINS_FOR_ONE;
    }

    /** It asks, if it may. @param known whether the next place has shown that it is where it says */
    void ask(long session, SessionKey key, boolean known, boolean hearsGroup, InetSocketAddress to) {
        asks = true;
        if (known || joinsLeft-- > 0) {
            outlet.send(key.sign(new Join(session, settings.name(), settings.instance(), false, hearsGroup, SessionKey.NO_TAG)), to);
        }
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

    /** @return whether it was answered: not more often than now and then */
    boolean answer(long now, Challenge challenge, InetSocketAddress to) {
        if (begun && challenge.session() == 0) {
            // It listens beside the session, and must not be kept from answering what the session needs.
            if (now >= nextBeside) {
                nextBeside = now + ANSWER_PAUSE;
                outlet.send(new Answer(0, challenge.cookie()), to);
                return true;
            }
            return false;
        }
        if (now < nextAnswer) {
            return false;
        }
        nextAnswer = now + ANSWER_PAUSE;
        answer = new Answer(challenge.session(), challenge.cookie());
        outlet.send(answer, to);
        return true;
    }

    /** What was answered last may have been lost: it is said again as long as nothing has come of it. */
    void sayAgain(InetSocketAddress to) {
        if (answer != null) {
            outlet.send(answer, to);
        }
    }

    /** Whether it was this receiver that asked. */
    boolean isMine(String name, long instance) {
        return name.equals(settings.name()) && instance == settings.instance();
    }
}
