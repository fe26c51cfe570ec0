package org.tamanoir.client.resumable;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.SessionMessage;
import org.tamanoir.anep.SessionMessage.Mark;
import org.tamanoir.anep.SessionMessage.Resume;
import org.tamanoir.anep.SessionMessage.Welcome;
import org.tamanoir.client.session.Losses;
import org.tamanoir.client.session.SessionEnd;
import org.tamanoir.client.session.SessionIo;

/** One end of a session, with the leg that it has just now, for one application. On one event loop. Get one from {@link Ways#open} or {@link SessionPort}. */
public final class Session {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);
    /** Octets that may wait for the leg before the application is asked to wait: what waits for an acknowledgement has a ring of its own. */
    private static final long MOST_UNSENT = 256 << 10;

    /** Who writes to a session and takes what comes. Called on its loop; after {@link #onDone} or {@link #onFailure} nothing comes. */
    public interface Application {
        /** Octets; the reference is given away. {@link Session#kept} follows when they are where they shall be. */
        void onOctets(ByteBuf octets);

        /** What one read brought has been handed over. @return whether to read on; after false {@link Session#read} is expected */
        boolean onReadComplete();

        /** The other direction has ended, whole. */
        void onEnd();

        /** The session takes more. */
        void onRoom();

        /** The far end has kept everything that was written, and the end. */
        default void onKept() {
        }

        /** Both directions have ended and both ends know. */
        void onDone();

        /** The session is over before its time. */
        void onFailure(AnepException why);
    }

    private final EventLoop loop;
    private final SessionTally tally;
    private Application application;
    /** Null at the end that accepts. */
    private final Ways.Trip trip;
    private SessionEnd end;
    private Leg leg;
    /** The epoch of the leg that is being opened; 0 for none. */
    private int awaited;
    /** A leg that came in before the application was there. */
    private Leg early;
    private Resume asked;
    private boolean ready;
    private boolean dirty;
    private boolean over;
    private ScheduledFuture<?> timer;
    private long timerAt = Long.MAX_VALUE;
    private final SessionFailures failures = new SessionFailures();
    private Runnable forgotten = () -> { };
    private long windowNanos;
    private Losses counted = new Losses(0, 0, 0);

    Session(EventLoop loop, SessionTally tally, Ways.Trip trip) {
        this.loop = loop;
        this.tally = tally;
        this.trip = trip;
        this.ready = trip != null;
    }

    /** Names the core and the application, which it calls; once, before anything else. */
    void run(SessionEnd core, Application of) {
        end = core;
        application = of;
        tally.opened(this);
        if (trip != null) {
            settle();
        }
    }

    SessionIo io() {
        return new Io();
    }

    /** Where everything of it runs. */
    public EventLoop loop() {
        return loop;
    }

    /** The node by which it goes just now, or null. */
    public InetSocketAddress node() {
        return leg == null ? null : leg.peer();
    }

    /** The account that it shares with all others. */
    public SessionTally tally() {
        return tally;
    }

    // The application. On the loop.

    /** Takes octets, as many as there is room for, from the reader index on. */
    public void write(ByteBuf octets) {
        if (!over) {
            end.write(System.nanoTime(), octets);
        }
    }

    /** Whether it is worth while to read more for it: beyond that the leg is the slower one. */
    public boolean isWritable() {
        return !over && end.unsent() < MOST_UNSENT;
    }

    /** What was written leaves now. */
    public void flush() {
        settle();
    }

    /** The application has written its last octet. */
    public void finish() {
        if (!over) {
            end.end(System.nanoTime());
            settle();
        }
    }

    /** Octets since the beginning of the session that are where they shall be. */
    public void kept(long octets) {
        if (!over) {
            end.kept(System.nanoTime(), octets);
            settle();
        }
    }

    /** The application takes more. */
    public void read() {
        if (!over) {
            end.reading(System.nanoTime(), true);
            if (leg != null) {
                leg.read();
            }
            settle();
        }
    }

    /** The application gives up. Nothing comes after this. */
    public void giveUp() {
        if (!over) {
            over = true;
            end.giveUp(System.nanoTime());
            settle();
            stop();
        }
    }

    /** An accepted session has its application: whoever waits for it is answered. */
    public void ready() {
        ready = true;
        if (early != null && !over) {
            Leg first = early;
            early = null;
            answer(first, asked);
        }
    }

    /** An accepted session has no application, and whoever waits for it is told. */
    public void refuse(AnepException why) {
        over = true;
        end.giveUp(System.nanoTime());
        if (early != null) {
            early.refuse(why);
            early.flush();
        }
        stop();
    }

    /** Whom to tell when nobody will ask for the session again; for one that is accepted. */
    void onForgotten(long nanos, Runnable told) {
        forgotten = told;
        windowNanos = nanos;
    }

    // The leg. On the loop.

    /** A leg has come in. */
    void accept(Leg newLeg, Resume resume) {
        try {
            if (ready || over) {
                answer(newLeg, resume);
                return;
            }
            end.check(resume);
            if (early != null && resume.epoch() <= asked.epoch()) {
                throw resume.refused(ErrorCode.SESSION_SUPERSEDED);
            } else if (early != null) {
                early.reset();
            }
            early = newLeg;
            asked = resume;
        } catch (AnepException e) {
            tally.refused();
            LOG.debug("{} is refused: {}", newLeg, e.getMessage());
            newLeg.refuse(e);
            newLeg.flush();
        }
    }

    private void answer(Leg newLeg, Resume resume) {
        Welcome welcome = end.resume(System.nanoTime(), resume);
        LOG.debug("{}: {}", newLeg, resume);
        leg = newLeg;
        leg.send(welcome);
        end.answered(System.nanoTime());
        if (leg != null) {
            leg.flush();
            leg.read();
        }
        settle();
    }

    /** Of a session that is over, it may be the last word of the other end. */
    void onMessage(Leg from, SessionMessage message) {
        if (message instanceof Mark mark && (from == leg || over)) {
            end.mark(System.nanoTime(), from.epoch(), mark);
        } else if (message instanceof Welcome welcome && from == leg && trip != null && !over) {
            trip.reached();
            welcomed(from, welcome);
        }
        settle();
        if (from == leg && !over) {
            application.onRoom();
        }
    }

    private void welcomed(Leg from, Welcome welcome) {
        try {
            end.welcomed(System.nanoTime(), from.epoch(), welcome);
        } catch (AnepException e) {
            leg = null;
            from.reset();
            lost(from.epoch(), e);
        }
    }

    void onOctets(Leg from, ByteBuf octets) {
        if (from != leg || over) {
            octets.release();
            return;
        }
        end.octets(System.nanoTime(), from.epoch(), octets);
    }

    void onReadComplete(Leg from) {
        if (from != leg || over) {
            return;
        }
        if (application.onReadComplete()) {
            from.read();
        } else if (!over) {
            end.reading(System.nanoTime(), false);
        }
        settle();
    }

    void onRoom(Leg from) {
        if (from == leg && !over) {
            end.room(System.nanoTime(), from.epoch());
            settle();
            if (!over) {
                application.onRoom();
            }
        }
    }

    void onLegEnd(Leg from) {
        if (from == leg) {
            leg = null;
            from.end();
            end.lost(System.nanoTime(), from.epoch());
            note(new AnepException(ErrorCode.CONNECTION_LOST, "the chain of nodes ended before the session did"));
            settle();
        }
    }

    void onLegFailure(Leg from, AnepException why) {
        if (from == early) {
            early = null;
        }
        if (from == leg) {
            leg = null;
            lost(from.epoch(), why);
        }
    }

    /** A leg is gone, or could not be opened. */
    void lost(int epoch, AnepException why) {
        if (over) {
            return;
        }
        awaited = 0;
        note(why);
        if (trip != null && SessionFailures.isFinal(why.code(), end.hasBegun(), trip.triedAll())) {
            end.refused(epoch, why.code());
        } else {
            end.lost(System.nanoTime(), epoch);
        }
        settle();
    }

    private void note(AnepException why) {
        if (!over) {
            failures.add(why);
            LOG.debug("a session loses its leg: {}", why.getMessage());
            if (trip != null) {
                trip.failed();
            }
        }
    }

    /** The core has waited long enough for what its leg, or the making of one, did not bring. */
    private void onSilence(int epoch) {
        note(new AnepException(ErrorCode.UNREACHABLE, "nothing has come for " + SessionEnd.SILENCE / 1_000_000_000 + " s or more"));
        if (trip != null && !end.hasBegun() && trip.triedAll()) {
            end.refused(epoch, ErrorCode.UNREACHABLE);
        }
    }

    // What the core says.

    private final class Io implements SessionIo {
        @Override
        public void open(int epoch) {
            awaited = epoch;
            trip.open(Session.this, epoch);
        }

        @Override
        public boolean send(ByteBuf octets) {
            dirty = true;
            return leg.send(octets);
        }

        @Override
        public void send(Mark mark) {
            dirty = true;
            leg.send(mark);
        }

        @Override
        public void close(boolean clean) {
            Leg closed = leg;
            leg = null;
            awaited = 0;
            if (closed != null && clean) {
                closed.end();
            } else if (closed != null) {
                closed.reset();
            }
        }

        @Override
        public void deliver(ByteBuf octets) {
            application.onOctets(octets);
        }

        @Override
        public void deliverEnd() {
            application.onEnd();
        }

        @Override
        public void everythingKept() {
            application.onKept();
        }

        @Override
        public void done() {
            over = true;
            if (leg != null) {
                close(true);
            }
            stop();
            application.onDone();
        }

        @Override
        public void forgotten() {
            forgotten.run();
        }

        @Override
        public void failed(ErrorCode why) {
            over = true;
            stop();
            application.onFailure(failures.reason(why));
        }
    }

    /** A leg that the core has asked for is opened now. @return its first packet; null if it is not wanted any more */
    Resume opening(int epoch) {
        if (over || awaited != epoch) {
            return null;
        }
        Resume first = end.opening(System.nanoTime());
        settle();
        return first;
    }

    /** A leg of the opener stands. */
    void connected(Leg newLeg) {
        if (over || awaited != newLeg.epoch()) {
            newLeg.reset();
            return;
        }
        awaited = 0;
        leg = newLeg;
        dirty = true;
        leg.read();
        settle();
    }

    // Time.

    /** After whatever the core has done: sends what it has written, counts, and looks when it wants to be called. */
    private void settle() {
        if (dirty && leg != null) {
            leg.flush();
        }
        dirty = false;
        count();
        long deadline = over ? Long.MAX_VALUE : end.deadline();
        if (deadline < timerAt) {
            if (timer != null) {
                timer.cancel(false);
            }
            timerAt = deadline;
            timer = loop.schedule(this::onTimer, Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        }
    }

    private void onTimer() {
        timer = null;
        timerAt = Long.MAX_VALUE;
        if (!over) {
            int before = awaited != 0 ? awaited : leg != null ? leg.epoch() : 0;
            if (end.deadline() <= System.nanoTime()) {
                end.onTimer(System.nanoTime());
            }
            if (!over && before != 0 && leg == null && awaited == 0) {
                onSilence(before);
            }
            settle();
        }
    }

    private void count() {
        Losses all = end.losses();
        if (all.resumptions() != counted.resumptions()) {
            long again = all.sentAgain() - counted.sentAgain();
            long stalled = all.stalled() - counted.stalled();
            tally.resumed(all.resumptions() - counted.resumptions(), again, stalled);
            LOG.info("a session goes on, {} octets sent again, {} ms without a chain of nodes{}", again, stalled / 1_000_000, failures);
            failures.clear();
            counted = all;
        }
    }

    private void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
        if (trip != null) {
            trip.end();
        }
        count();
        tally.closed(this);
        if (end.isComplete()) {
            // Until then the other end may ask for the last word once more.
            loop.schedule(forgotten, windowNanos, TimeUnit.NANOSECONDS);
        } else {
            forgotten.run();
        }
    }
}
