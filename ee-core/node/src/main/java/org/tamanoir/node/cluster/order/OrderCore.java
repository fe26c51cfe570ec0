package org.tamanoir.node.cluster.order;

import java.util.ArrayDeque;
import java.util.Collection;
import org.tamanoir.anep.AnepException;
import org.tamanoir.membership.Report.Outcome;
import org.tamanoir.membership.Report.Outcome.State;
import org.tamanoir.membership.Welcome.Order;

/**
 * The orders of a back end, one at a time. No I/O: times come with the calls, in nanoseconds of one clock. One thread at a time.
 *
 * <p>What is to be had is looked for before the back end leaves, and it stays where nothing is. The change itself cuts no stream, so with streams that do not
 * end in time it is made beside them; if it takes as long again as they had, the back end comes back meanwhile, because a director breaks what is still open
 * when its own time to drain is over.
 */
final class OrderCore {
    /** What whoever drives it has to begin now. */
    enum Do {
        NOTHING, LOOK, UPGRADE
    }

    /** Orders that have ended and are not begun again: of each of the front-ends some. */
    private static final int REMEMBERED = 32;

    private final ArrayDeque<String> ended = new ArrayDeque<>();
    private Order order;
    private State state;
    private String version;
    private String target;
    private String text;
    private long streams;
    private boolean begun;
    private boolean away;
    private long left;
    private boolean known;
    private long knownSince;

    /**
     * What front-ends that answer want now. While an order is carried out, or the front-end that gave it has not heard how it ended, no other begins:
     * front-ends repeat themselves.
     *
     * @return the order that is to begin, for {@link #begin}; null for none
     */
    Order offered(Collection<Order> orders) {
        if (order != null && (!state.isEnd() || orders.stream().anyMatch(each -> each.id().equals(order.id())))) {
            return null;
        }
        return orders.stream().filter(each -> !ended.contains(each.id())).findFirst().orElse(null);
    }

    /** @param active the version that is active; null if none is */
    void begin(Order next, String active, long open) {
        order = next;
        state = State.WAITING;
        version = active;
        target = null;
        text = null;
        streams = open;
        begun = false;
        known = false;
    }

    /**
     * Time has passed.
     *
     * @param told   whether every front-end that answers knows that the back end leaves, and one does
     * @param settle nanoseconds for directors to do what front-ends know
     * @param open   streams
     */
    Do tick(long now, boolean told, long settle, long open) {
        if (isIdle()) {
            return Do.NOTHING;
        }
        if (state == State.DRAINING) {
            streams = open;
            knownSince = told && !known ? now : knownSince;
            known = told;
            boolean drained = known && now - knownSince >= settle && open == 0;
            if (!drained && now - left < drainNanos()) {
                return Do.NOTHING;
            }
            state = State.UPGRADING;
        } else if (state == State.UPGRADING && !begun) {
            streams = open;
        } else if (state == State.UPGRADING && away && streams > 0 && now - left >= 2 * drainNanos()) {
            away = false;
        }
        Do next = begun ? Do.NOTHING : state == State.WAITING ? Do.LOOK : Do.UPGRADE;
        begun = true;
        return next;
    }

    private long drainNanos() {
        return order.drainMillis() * 1_000_000;
    }

    /** What there is to do. */
    void found(long now, Upgrader.Found found) {
        version = found.from();
        target = found.to();
        begun = false;
        if (target == null) {
            end(State.DONE, version, null);
        } else if (order.drainMillis() == 0) {
            state = State.UPGRADING;
        } else {
            state = State.DRAINING;
            away = true;
            left = now;
        }
    }

    /** The new version is active. */
    void upgraded(String active) {
        end(State.DONE, active, null);
    }

    /** @param active the version that is active; null if none is */
    void failed(AnepException why, String active) {
        end(State.FAILED, active, Outcome.line(why.getMessage()));
    }

    private void end(State how, String active, String why) {
        state = how;
        version = active;
        text = why;
        away = false;
        ended.addLast(order.id());
        if (ended.size() > REMEMBERED) {
            ended.removeFirst();
        }
    }

    /** Whether there is nothing to do. */
    boolean isIdle() {
        return order == null || state.isEnd();
    }

    /** Whether the back end is to take no new streams. */
    boolean isAway() {
        return away;
    }

    /** The order that is carried out or was last; null before the first. */
    Order order() {
        return order;
    }

    /** The version that is wanted, once that is known. */
    String target() {
        return target;
    }

    /** For the report; null before the first order. */
    Outcome outcome() {
        return order == null ? null : new Outcome(order.id(), state, version, streams, text);
    }
}
