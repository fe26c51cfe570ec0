package org.tamanoir.node.stream;

import java.util.concurrent.TimeUnit;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.node.transport.Stage;

/**
 * The last step back to a sender of datagrams that has not shown yet that it is where it says: at most three times what came goes there (RFC 9000
 * section 8.1). Everybody can forge a source; without a bound the forged one would get what others asked for.
 */
final class AnswerBudget extends Stage {
    static final int FACTOR = 3;
    /** More than so many times what came, and the sender is asked for its cookie before the bound holds answers up. */
    private static final int ASK_FACTOR = 2;
    private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Runnable ask;
    private final Runnable dropped;
    private boolean proven;
    private long came;
    private long went;
    private boolean hasAsked;
    private long askedAt = System.nanoTime() - ASK_NANOS;

    /**
     * @param next    writes to the sender
     * @param ask     sends a cookie and takes its octets from the budget
     * @param dropped is told of each answer for which there was no room
     */
    AnswerBudget(Stage next, Runnable ask, Runnable dropped) {
        super(next);
        this.ask = ask;
        this.dropped = dropped;
    }

    /** Octets have come from the sender. */
    void came(int octets) {
        came += octets;
    }

    /** The cookie has come back. */
    void proven() {
        proven = true;
    }

    boolean isProven() {
        return proven;
    }

    /** Octets that may still go to the sender. */
    long room() {
        return proven ? Long.MAX_VALUE : came * FACTOR - went;
    }

    /** Octets go to the sender that do not come through here. */
    void went(int octets) {
        went += octets;
    }

    /** Asks the sender for its cookie, unless that was done a moment ago; what is asked comes out of the budget too. */
    void ask() {
        long now = System.nanoTime();
        if (!proven && now - askedAt >= ASK_NANOS && room() >= PacketBuilder.COOKIE_SIZE) {
            askedAt = now;
            hasAsked = true;
            ask.run();
        }
    }

    @Override
    public void packet(Packet packet) {
        if (proven) {
            next().packet(packet);
            return;
        }
        // The question must not find the budget used up by answers.
        if (packet.length() > room() - (hasAsked ? 0 : PacketBuilder.COOKIE_SIZE)) {
            dropped.run();
            ask();
            return;
        }
        went += packet.length();
        if (went > came * ASK_FACTOR) {
            ask();
        }
        next().packet(packet);
    }
}
