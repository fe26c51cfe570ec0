package org.tamanoir.services.qosinus;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.qos.QosEnforcement.Conditioner;

/**
 * One direction of one stream: its packets are marked with the class of the session, wait or are dropped where they are over its profile. Over TCP
 * nothing is dropped, and nothing overtakes.
 */
final class Lane {
    private static final Verdict OVER = Verdict.drop("over-profile");
    private static final Verdict NO_ROOM = Verdict.drop("no-room-to-wait");
    /** Datagrams of one stream that may wait; TCP waits in its socket. */
    private static final int MOST_HELD = 4096;
    /** And their octets: a 16th of what all streams together may hold if nobody says otherwise. */
    private static final long MOST_HELD_OCTETS = 4L << 20;

    private final StreamContext stream;
    private final Controller controller;
    private final Counters counters;
    private final Supplier<Session> bound;
    private final boolean back;
    private final boolean udp;
    private final int headers;
    private final ArrayDeque<Packet> held = new ArrayDeque<>();
    private final Treatment treatment;
    private long heldOctets;
    /** The session whose streams this one is among. */
    private Session joined;
    private boolean draining;
    private boolean endHeld;

    /**
     * @param bound   the session that says how to treat packets now, with {@link #treatment} up to date; null for none
     * @param back    whether this is the way to the source
     * @param headers octets of each packet that a profile counts besides
     */
    Lane(StreamContext stream, Controller controller, Counters counters, Supplier<Session> bound, boolean back, int headers) {
        this.stream = stream;
        this.controller = controller;
        this.counters = counters;
        this.bound = bound;
        this.back = back;
        this.udp = stream.transport() == Transport.UDP;
        this.headers = headers;
        this.treatment = new Treatment(controller);
    }

    Treatment treatment() {
        return treatment;
    }

    int waiting() {
        return held.size();
    }

    /** It is among the streams of a session from now on, which tells it of changes; of none for null. */
    void join(Session session) {
        if (session == joined) {
            return;
        }
        if (joined != null) {
            joined.streams.remove(this);
        }
        joined = session;
        if (session != null) {
            session.streams.add(this);
        }
    }

    /**
     * The session is treated in another way from now on. A socket that is full of what its old class does not carry takes no packet that could
     * bring the new mark: it is marked by itself. Any thread.
     */
    void changed() {
        stream.execute((forward, backward) -> {
            if (bound.get() != null) {
                (back ? backward : forward).mark(treatment.order().qosClass().green());
            }
        });
    }

    /** Nothing has passed for a period: finds out whether that is because nothing can. Any thread. */
    void askWhetherStalled() {
        stream.execute((forward, backward) -> {
            Session session = bound.get();
            if (session != null && !(back ? backward : forward).isWritable()) {
                session.stalled = true;
            }
        });
    }

    /** A packet of no session. @param dscp with which it goes on */
    Verdict without(Packet packet, Output out, int dscp) {
        if (!udp && !held.isEmpty()) {
            // Those before it wait: over TCP nothing overtakes.
            return hold(null, packet, out);
        }
        out.mark(dscp);
        return Verdict.PASS;
    }

    Verdict treat(Session session, Packet packet, Output out) {
        int octets = packet.length() + headers;
        long now = stream.nanoTime();
        session.usedNanos = now;
        if (!held.isEmpty()) {
            return hold(session, packet, out);
        }
        int dscp = treatment.admit(octets, now, now);
        if (dscp == Conditioner.WAIT) {
            return hold(session, packet, out);
        }
        if (dscp == Conditioner.DROP) {
            return dropped(session);
        }
        passed(session, packet, octets, out);
        out.mark(dscp);
        return Verdict.PASS;
    }

    private Verdict dropped(Session session) {
        counters.dropped.increment();
        session.dropped.increment();
        return OVER;
    }

    private static void passed(Session session, Packet packet, int octets, Output out) {
        session.packets.increment();
        session.octets.add(octets);
        session.payload.add(packet.payloadLength());
        session.around = octets - packet.payloadLength();
        if (!out.isWritable()) {
            session.limited.increment();
        }
    }

    // Packets that wait.

    private Verdict hold(Session session, Packet packet, Output out) {
        Packet kept = udp && (held.size() >= MOST_HELD || heldOctets + packet.length() > MOST_HELD_OCTETS) ? null : keep(packet);
        if (kept == null) {
            return udp ? noRoom(session) : withoutRoom(out);
        }
        held.add(kept);
        heldOctets += kept.length();
        counters.waited.increment();
        if (session != null) {
            session.waited.increment();
        }
        if (held.size() == 1) {
            pause(true);
            wake();
        }
        return Verdict.TAKEN;
    }

    /** Whoever sends in this direction waits. */
    private void pause(boolean pause) {
        if (back) {
            stream.pauseDestination(pause);
        } else {
            stream.holdToRate(pause);
        }
    }

    /** A packet to keep; null if all streams together keep as much as they may. */
    private static Packet keep(Packet packet) {
        try {
            return packet.retain();
        } catch (AnepException e) {
            return null;
        }
    }

    private Verdict noRoom(Session session) {
        counters.dropped.increment();
        if (session != null) {
            session.dropped.increment();
        }
        return NO_ROOM;
    }

    /** Over TCP nothing may be lost: what cannot wait any more goes as best effort, behind what has waited. */
    private Verdict withoutRoom(Output out) {
        out.mark(bestEffort());
        while (!held.isEmpty()) {
            Packet packet = taken();
            out.emit(packet);
            packet.release();
        }
        pause(false);
        return Verdict.PASS;
    }

    private int bestEffort() {
        return controller.settings().bestEffort().green();
    }

    private Packet taken() {
        Packet packet = held.poll();
        heldOctets -= packet.length();
        return packet;
    }

    /** Sees to it that what waits goes on when it may. */
    private void wake() {
        if (!draining) {
            draining = true;
            long wait = treatment.waitNanos(stream.nanoTime());
            // No longer than a period: the session may have another class by then, or another level.
            stream.later(Duration.ofNanos(Math.max(0, Math.min(wait, controller.settings().period().toNanos()))),
                    (forward, backward) -> drain(back ? backward : forward));
        }
    }

    private void drain(Output out) {
        draining = false;
        while (!held.isEmpty()) {
            Packet packet = held.peek();
            int octets = packet.length() + headers;
            Session session = bound.get();
            int dscp = session == null ? bestEffort() : treatment.admit(octets, packet.receivedNanos(), stream.nanoTime());
            if (dscp == Conditioner.WAIT) {
                wake();
                return;
            }
            taken();
            if (dscp == Conditioner.DROP) {
                dropped(session);
            } else {
                out.mark(dscp);
                out.emit(packet);
                if (session != null) {
                    passed(session, packet, octets, out);
                }
            }
            packet.release();
        }
        pause(false);
        if (endHeld) {
            endHeld = false;
            out.releaseEnd();
        }
    }

    /** The direction ends, behind what waits. */
    void end(Output out) {
        if (!held.isEmpty()) {
            endHeld = true;
            out.holdEnd();
        }
    }

    void close() {
        held.forEach(Packet::release);
        held.clear();
        heldOctets = 0;
        join(null);
    }
}
