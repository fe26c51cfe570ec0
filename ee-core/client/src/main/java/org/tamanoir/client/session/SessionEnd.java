package org.tamanoir.client.session;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.random.RandomGenerator;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.SessionMessage.Mark;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.anep.SessionMessage.Welcome;

/**
 * One end of a session: takes (time, what happened), says what to do. Times are nanoseconds of one clock. Used by one thread.
 *
 * <p>The <i>opener</i> opens legs, one at a time, each with a higher epoch; the <i>acceptor</i> is asked by {@link #resume}. Both say where they are in
 * what they receive, and go on sending where the other is. A leg of a lower epoch is shut before the answer to a higher one leaves, so that two chains
 * never deliver to one application. A {@link Mark} after a mebibyte, or a quarter of a small ring, and soon after whatever is new, says how far the
 * sender is, with the checksum of all octets so far, and what it has of the other direction.
 */
public final class SessionEnd {
    /** What was not said yet is said after so long. */
    static final long MARK_TIME = 50_000_000L;
    /** An end that has nothing to say says so as often. */
    static final long HEARTBEAT = 2_000_000_000L;
    /** A leg on which nothing comes for so long is given up, and so is the opening of one; after some that failed it has longer, as all may be slow. */
    public static final long SILENCE = 5_000_000_000L;
    private static final int PAUSES_TO_OPEN = 8;
    private static final long FIRST_PAUSE = 100_000_000L;
    private static final long LONGEST_PAUSE = 2_000_000_000L;

    private enum LegState { NONE, OPENING, UP }

    private final boolean opener;
    private final long session;
    private final long tokenHigh;
    private final long tokenLow;
    private final long window;
    private final SessionIo io;
    private final RandomGenerator random;
    private final OctetRing ring;
    private final long markOctets;
    private LegState leg = LegState.NONE;
    private int epoch;
    private boolean everUp;
    /** What the leg that comes in has said; null once it is answered. */
    private Resume asking;
    private boolean room;
    private boolean reading = true;
    private boolean ended;
    private boolean allKept;
    private boolean over;
    private final Received received = new Received();

    private long markedAt;
    private long toldKept;
    private boolean toldEnd;
    private boolean toldKeptLast;
    /** When what was not said is said; {@link Long#MAX_VALUE}: there is nothing. */
    private long markDue = Long.MAX_VALUE;
    private long spoke;
    /** {@link Long#MIN_VALUE}: no leg stood yet. */
    private long heard = Long.MIN_VALUE;
    private long openAt = Long.MAX_VALUE;
    /** {@link Long#MAX_VALUE}: the leg waits for its turn. */
    private long answerDue;
    private long pause = FIRST_PAUSE;
    private long legless;

    private Losses losses = new Losses(0, 0, 0);

    /**
     * The end that opens.
     *
     * @param most   octets that may wait for an acknowledgement
     * @param window nanoseconds without a leg after which the session is lost
     */
    public static SessionEnd opener(long now, long session, long tokenHigh, long tokenLow, long most, RingBudget budget, long window, SessionIo io, RandomGenerator random) {
        SessionEnd end = new SessionEnd(true, session, tokenHigh, tokenLow, most, budget, window, io, random, now);
        end.openAt = now;
        return end;
    }

    /**
     * The end that a first {@link Resume} reaches; {@link #resume} follows, for that one too.
     *
     * @throws AnepException EE-223 if the session has begun elsewhere
     */
    public static SessionEnd acceptor(long now, Resume first, long most, RingBudget budget, long window, SessionIo io, RandomGenerator random) {
        if (!first.fresh()) {
            throw first.refused(ErrorCode.SESSION_UNKNOWN);
        }
        return new SessionEnd(false, first.session(), first.tokenHigh(), first.tokenLow(), most, budget, window, io, random, now);
    }

    private SessionEnd(boolean opener, long session, long tokenHigh, long tokenLow, long most, RingBudget budget, long window, SessionIo io, RandomGenerator random, long now) {
        this.opener = opener;
        this.session = session;
        this.tokenHigh = tokenHigh;
        this.tokenLow = tokenLow;
        this.window = window;
        this.io = io;
        this.random = random;
        this.ring = new OctetRing(most, budget);
        this.markOctets = MarkDistance.of(most);
        this.legless = now;
    }

    // The application.

    /** Takes octets of the application, as many as there is room for, from the reader index on. @return octets taken; 0: wait, and try again after the next {@link #mark} */
    public int write(long now, ByteBuf octets) {
        if (ended || over) {
            throw new IllegalStateException("nothing is written after the end");
        }
        int taken = ring.write(octets);
        pump(now);
        if (octets.isReadable() && leg == LegState.UP && ring.sent() > markedAt && ring.acknowledged() >= markedAt) {
            // It is full, and would wait for the time of the next mark.
            say(now, false, null);
        }
        return taken;
    }

    /** The application has written its last octet. */
    public void end(long now) {
        ended = true;
        pump(now);
    }

    /** Octets of the other direction, since the beginning, that are where they shall be: given to the application, or synced. May be called from {@link SessionIo#deliver}. */
    public void kept(long now, long octets) {
        received.keep(octets);
        if (leg == LegState.UP && !opener && isComplete()) {
            // The last word; not at once, as the application is in the midst of saying this.
            markDue = now;
        } else if (leg == LegState.UP && (received.kept() - toldKept >= markOctets || received.isKept() && !toldKeptLast)) {
            say(now, false, null);
        }
        owe(now);
    }

    /** Whether the application takes octets: without that nothing can come, and silence means nothing. */
    public void reading(long now, boolean on) {
        if (on && !reading && leg == LegState.UP) {
            heard = now;
        }
        reading = on;
    }

    // The leg.

    /** The first packet of a leg that {@link SessionIo#open} asked for, which is opened now. */
    public Resume opening(long now) {
        answerDue = now + Math.max(SILENCE, PAUSES_TO_OPEN * pause);
        return new Resume(session, tokenHigh, tokenLow, epoch, !everUp, received.from(), received.checksum(), received.states());
    }

    /**
     * The acceptor has answered on the leg of an epoch.
     *
     * @throws AnepException EE-230: the services on it are not those that the session has; the leg is to be shut, and is {@link #lost}
     */
    public void welcomed(long now, int ofEpoch, Welcome welcome) {
        if (over || ofEpoch != epoch || leg != LegState.OPENING) {
            return;
        }
        if (!everUp) {
            received.begin(welcome.states());
        } else if (!welcome.states().isEmpty()) {
            throw opening(now).with(welcome.states()).refused(ErrorCode.SESSION_STATE);
        }
        everUp = true;
        up(now, welcome.received(), welcome.checksum());
    }

    /** The leg of an epoch was refused, and another one would be too. */
    public void refused(int ofEpoch, ErrorCode why) {
        if (!over && ofEpoch == epoch && isComplete()) {
            // The far end has everything, and may have forgotten it.
            finish();
        } else if (!over && ofEpoch == epoch) {
            fail(why);
        }
    }

    /** The application has given up. The far end is told if there is a leg, and finds out by itself if there is none. */
    public void giveUp(long now) {
        if (!over) {
            end(now, ErrorCode.SESSION_ABANDONED);
        }
    }

    /**
     * A leg has come in. The one before it is shut when this returns; what still comes from it must not be handed over.
     *
     * @return the answer, to be sent before anything else
     * @throws AnepException EE-223 to EE-226, EE-230: the leg is to be told and shut; the session is as it was
     */
    public Welcome resume(long now, Resume asked) {
        check(asked);
        if (asked.fresh()) {
            received.begin(asked.states());
        }
        if (leg != LegState.NONE) {
            io.close(false);
            down(now);
        }
        epoch = asked.epoch();
        everUp = true;
        answerDue = now + SILENCE;
        leg = LegState.OPENING;
        asking = asked;
        return new Welcome(received.from(), received.checksum(), asked.fresh() ? List.of() : received.states());
    }

    /** Whether a resumption would be taken. @throws AnepException EE-223 to EE-226, EE-230 if not */
    public void check(Resume asked) {
        if ((asked.tokenHigh() ^ tokenHigh | asked.tokenLow() ^ tokenLow) != 0) {
            throw asked.refused(ErrorCode.SESSION_FOREIGN);
        }
        if (asked.epoch() <= epoch) {
            throw asked.refused(ErrorCode.SESSION_SUPERSEDED);
        }
        if (over && !isComplete()) {
            throw asked.refused(ErrorCode.SESSION_UNKNOWN);
        }
        if (!ring.has(asked.received()) || ring.checksumAt(asked.received()) != asked.checksum()) {
            throw asked.refused(ErrorCode.SESSION_DIFFERS);
        }
        if (!asked.states().isEmpty() && (!asked.fresh() || received.octets() > 0)) {
            throw asked.refused(ErrorCode.SESSION_STATE);
        }
    }

    /** The answer of {@link #resume} has been given to the leg: octets may follow it. */
    public void answered(long now) {
        if (over && asking != null) {
            // It was finished here, and the last word was lost.
            lastWord(now);
            leg = LegState.NONE;
        } else if (leg == LegState.OPENING && asking != null) {
            up(now, asking.received(), asking.checksum());
        }
        asking = null;
    }

    private void up(long now, long theirs, int sum) {
        if (!ring.has(theirs) || ring.checksumAt(theirs) != sum) {
            fail(ErrorCode.SESSION_DIFFERS);
            return;
        }
        if (heard != Long.MIN_VALUE) {
            losses = new Losses(losses.resumptions() + 1, losses.sentAgain() + ring.sent() - theirs, losses.stalled() + now - heard);
        }
        ring.rewind(theirs);
        received.rewind();
        leg = LegState.UP;
        room = true;
        pause = FIRST_PAUSE;
        markedAt = theirs;
        toldKept = -1;
        toldEnd = false;
        toldKeptLast = false;
        heard = now;
        spoke = now;
        owe(now);
        pump(now);
    }

    /** A leg is gone, or could not be opened. That it ended cleanly says nothing: a proxy on the way may make that of a reset. */
    public void lost(long now, int ofEpoch) {
        if (!over && ofEpoch == epoch && leg != LegState.NONE) {
            down(now);
        }
    }

    private void down(long now) {
        if (leg == LegState.UP) {
            legless = now;
        }
        leg = LegState.NONE;
        asking = null;
        markDue = Long.MAX_VALUE;
        if (opener) {
            openAt = epoch == 0 || pause == FIRST_PAUSE ? now : now + pause / 2 + random.nextLong(pause / 2);
            pause = Math.min(LONGEST_PAUSE, 2 * pause);
        }
    }

    /** The current leg takes more. */
    public void room(long now, int ofEpoch) {
        if (ofEpoch == epoch && leg == LegState.UP) {
            room = true;
            pump(now);
        }
    }

    /** Octets have come on the leg of an epoch; the reference is given away. */
    public void octets(long now, int ofEpoch, ByteBuf octets) {
        if (over || ofEpoch != epoch || leg != LegState.UP) {
            octets.release();
            return;
        }
        heard = now;
        boolean good = received.take(octets);
        if (good && octets.isReadable()) {
            io.deliver(octets);
        } else {
            octets.release();
        }
        if (good) {
            owe(now);
        } else {
            fail(ErrorCode.SESSION_DIFFERS);
        }
    }

    /** A mark has come on the leg of an epoch. */
    public void mark(long now, int ofEpoch, Mark mark) {
        if (over && ofEpoch == epoch && mark.done()) {
            io.forgotten();
        }
        if (over || ofEpoch != epoch || leg != LegState.UP) {
            return;
        }
        heard = now;
        if (mark.over() != null) {
            io.close(false);
            leg = LegState.NONE;
            fail(mark.over());
            return;
        }
        boolean good = mark.kept() <= ring.sent() && mark.kept() >= 0 && (!mark.keptLast() || ended && mark.kept() == ring.written());
        ErrorCode wrong = good ? received.mark(mark) : ErrorCode.SESSION_DIFFERS;
        if (wrong != null) {
            fail(wrong);
            return;
        }
        ring.acknowledge(mark.kept());
        if (mark.last() && !received.hasEnded()) {
            received.end();
            io.deliverEnd();
        }
        owe(now);
        if (mark.keptLast() && !allKept) {
            allKept = true;
            io.everythingKept();
        }
        pump(now);
        if (over) {
            return;
        }
        if (mark.done() && !isComplete()) {
            fail(ErrorCode.SESSION_DIFFERS);
        } else if (opener ? mark.done() : isComplete()) {
            lastWord(now);
            finish();
        } else if (opener && received.isKept() && !toldKeptLast) {
            // The other end waits for nothing else.
            say(now, false, null);
        }
    }

    /** Both ends have everything, and this one knows: the acceptor says so and leaves, then the opener. */
    private void lastWord(long now) {
        say(now, true, null);
        io.close(true);
    }

    /** Whether this end has nothing more to do: everything of both directions is where it shall be. */
    public boolean isComplete() {
        return allKept && received.isKept();
    }

    private void finish() {
        over = true;
        leg = LegState.NONE;
        ring.release();
        io.done();
    }

    private void fail(ErrorCode why) {
        end(spoke, why);
        io.failed(why);
    }

    /** Ends it here, and says why where somebody hears it. */
    private void end(long now, ErrorCode why) {
        if (leg == LegState.UP) {
            say(now, false, why);
        }
        if (leg != LegState.NONE) {
            io.close(leg == LegState.UP);
        }
        over = true;
        leg = LegState.NONE;
        ring.release();
    }

    // Sending.

    private void pump(long now) {
        while (leg == LegState.UP && room && !over && ring.sent() < ring.written()) {
            int most = (int) (markOctets - (ring.sent() - markedAt));
            room = io.send(ring.send(most));
            spoke = now;
            if (ring.sent() - markedAt >= markOctets) {
                say(now, false, null);
            }
        }
        owe(now);
    }

    /** A mark is due soon if the far end does not know everything that there is to know. */
    private void owe(long now) {
        boolean news = ring.sent() > markedAt || received.kept() > toldKept || ended && ring.sent() == ring.written() && !toldEnd || received.isKept() && !toldKeptLast;
        if (news && leg == LegState.UP && markDue == Long.MAX_VALUE) {
            markDue = now + MARK_TIME;
        }
    }

    private void say(long now, boolean done, ErrorCode why) {
        int sum = ring.mark();
        markedAt = ring.sent();
        toldEnd = ended && ring.sent() == ring.written();
        toldKept = received.kept();
        toldKeptLast = received.isKept();
        markDue = Long.MAX_VALUE;
        spoke = now;
        io.send(new Mark(markedAt, sum, toldEnd, toldKept, toldKeptLast, done, why, List.of()));
    }

    // Time.

    /** When {@link #onTimer} has something to do; {@link Long#MAX_VALUE}: never. */
    public long deadline() {
        if (over) {
            return Long.MAX_VALUE;
        }
        return switch (leg) {
            case NONE -> Math.min(openAt, legless + window);
            case OPENING -> Math.min(answerDue, legless + window);
            case UP -> Math.min(Math.min(markDue, spoke + HEARTBEAT), reading ? heard + SILENCE : Long.MAX_VALUE);
        };
    }

    public void onTimer(long now) {
        if (over) {
            return;
        }
        if (leg != LegState.UP && now - legless >= window) {
            if (isComplete()) {
                // Only the far end would want to know that.
                finish();
            } else {
                fail(ErrorCode.SESSION_LOST);
            }
        } else if (leg == LegState.NONE && now >= openAt) {
            openAt = Long.MAX_VALUE;
            answerDue = Long.MAX_VALUE;
            epoch++;
            leg = LegState.OPENING;
            io.open(epoch);
        } else if (leg == LegState.OPENING && now >= answerDue || leg == LegState.UP && reading && now - heard >= SILENCE) {
            io.close(false);
            down(now);
        } else if (leg == LegState.UP && !opener && isComplete()) {
            lastWord(now);
            finish();
        } else if (leg == LegState.UP && (now >= markDue || now - spoke >= HEARTBEAT)) {
            say(now, false, null);
        }
    }

    // What can be seen.

    /** What lost legs have cost so far. */
    public Losses losses() {
        return losses;
    }

    /** Octets that were written and have not been sent. */
    public long unsent() {
        return ring.written() - ring.sent();
    }

    /** Whether the far end has ever answered. */
    public boolean hasBegun() {
        return everUp;
    }

    public boolean isOver() {
        return over;
    }

    /** Octets of the other direction that have come. */
    public long received() {
        return received.octets();
    }
}
