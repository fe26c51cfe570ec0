package org.tamanoir.services.qosinus;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Packet;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.qos.QosEnforcement.Conditioner;
import org.tamanoir.service.qos.QosEnforcement.Order;
import org.tamanoir.service.qos.ServiceLevel.Flow;

/**
 * The packets of one stream: each is marked with the class of its session, waits or is dropped where it is over its profile. What has no
 * session that is known here goes as best effort, and is counted. Datagrams for which a rule is in force do not come here.
 */
final class QosStream implements StreamHandler {
    private static final Verdict OVER = Verdict.drop("over-profile");
    private static final Verdict NO_ROOM = Verdict.drop("no-room-to-wait");
    /** Datagrams of one stream that may wait; TCP waits in its socket. */
    private static final int MOST_HELD = 4096;
    /** And their octets: a 16th of what all streams together may hold if nobody says otherwise. */
    private static final long MOST_HELD_OCTETS = 4L << 20;
    /** Headers of IP and UDP, which a profile counts. */
    private static final int HEADERS4 = 28;
    private static final int HEADERS6 = 48;

    private final StreamContext stream;
    private final Controller controller;
    private final SessionTable table;
    private final Counters counters;
    private final Programming programming;
    private final boolean udp;
    private final int headers;
    private final ArrayDeque<Packet> held = new ArrayDeque<>();
    private long heldOctets;
    private long code;
    private Session session;
    /** The session whose streams this one is among. */
    private Session joined;
    private final Treatment treatment;
    private boolean draining;
    private boolean endHeld;

    QosStream(StreamContext stream, Controller controller, SessionTable table, Counters counters, Programming programming) {
        this.stream = stream;
        this.controller = controller;
        this.table = table;
        this.counters = counters;
        this.programming = programming;
        this.treatment = new Treatment(controller);
        this.udp = stream.transport() == Transport.UDP;
        this.headers = !udp ? 0 : stream.destination().getAddress().getAddress().length == 4 ? HEADERS4 : HEADERS6;
    }

    @Override
    public Verdict onPacket(Packet packet, Output out) {
        long said = packet.hasOptions() ? packet.qosSession() : 0;
        if (udp && said == 0) {
            ByteBuf payload = packet.payload();
            if (Messages.isMessage(payload)) {
                programming.request(packet, payload, out);
                return Verdict.TAKEN;
            }
        }
        // Over TCP the first packet speaks for all of them.
        if (udp || said != 0) {
            bind(said);
        } else if (session == null && code != 0 && table.isIncomplete()) {
            bind(code);
        }
        if (session == null || !ready()) {
            count();
            if (!udp && !held.isEmpty()) {
                // Those before it wait: over TCP nothing overtakes.
                return hold(packet, out);
            }
            out.mark(bestEffort());
            return Verdict.PASS;
        }
        return treat(packet, out);
    }

    private int bestEffort() {
        return controller.settings().bestEffort().green();
    }

    private void bind(long said) {
        if (said == code && (said == 0 || session != null)) {
            return;
        }
        leave();
        code = said;
        session = said == 0 ? null : table.find(said);
        if (session != null && !isOf(session.level.flow(), session.entry)) {
            counters.foreign.increment();
            session = null;
        }
        treatment.forget();
        if (session != null && !udp) {
            joined = session;
            joined.streams.add(this);
        }
    }

    private void leave() {
        if (joined != null) {
            joined.streams.remove(this);
            joined = null;
        }
    }

    /**
     * The session is treated in another way from now on. A socket that is full of what its old class does not carry takes no packet that could
     * bring the new mark: it is marked by itself. Any thread.
     */
    void changed() {
        stream.execute((forward, back) -> {
            if (session != null && ready()) {
                forward.mark(treatment.order().qosClass().green());
            }
        });
    }

    /** Nothing has passed for a period: finds out whether that is because nothing can. Any thread. */
    void askWhetherStalled() {
        stream.execute((forward, back) -> {
            if (session != null && !forward.isWritable()) {
                session.stalled = true;
            }
        });
    }

    /** Whether the stream is of a flow. Behind the first node the source is that node, so only it looks at the source. */
    private boolean isOf(Flow flow, boolean entry) {
        return flow.transport() == stream.transport() && (flow.destination() == null || flow.destination().contains(stream.destination().getAddress()))
                && (flow.destinationPort() == 0 || flow.destinationPort() == stream.destination().getPort())
                && (flow.stream() == 0 || flow.stream() == stream.id())
                && (!entry || flow.source() == null || flow.source().contains(stream.source().getAddress()))
                && (!entry || flow.sourcePort() == 0 || flow.sourcePort() == stream.source().getPort());
    }

    /** Why a packet goes as best effort. */
    private void count() {
        if (code == 0) {
            counters.without.increment();
        } else if (table.find(code) == null) {
            counters.unknown.increment();
        } else if (session != null) {
            counters.outOfTime.increment();
        } else {
            counters.foreign.increment();
        }
    }

    /** Whether the session says how to treat packets; makes the conditioner that its order asks for. */
    private boolean ready() {
        if (table.find(code) != session) {
            session = null;
            return false;
        }
        if (!controller.isInTime(session)) {
            // Its time may still come, and over TCP no packet says the code again.
            return false;
        }
        Order now = session.order;
        if (now == null) {
            now = controller.activate(session);
        }
        if (now != treatment.order() && !isOf(now.level().flow(), session.entry)) {
            // It was modified, and is for another flow now.
            session = null;
            return false;
        }
        treatment.follow(now, session.enforcement);
        return true;
    }

    private Verdict treat(Packet packet, Output out) {
        int octets = packet.length() + headers;
        long now = stream.nanoTime();
        session.usedNanos = now;
        if (!held.isEmpty()) {
            return hold(packet, out);
        }
        int dscp = treatment.admit(octets, now, now);
        if (dscp == Conditioner.WAIT) {
            return hold(packet, out);
        }
        if (dscp == Conditioner.DROP) {
            return dropped();
        }
        passed(packet, octets, out);
        out.mark(dscp);
        return Verdict.PASS;
    }

    private Verdict dropped() {
        counters.dropped.increment();
        session.dropped.increment();
        return OVER;
    }

    private void passed(Packet packet, int octets, Output out) {
        session.packets.increment();
        session.octets.add(octets);
        session.payload.add(packet.payloadLength());
        session.around = octets - packet.payloadLength();
        if (!out.isWritable()) {
            session.limited.increment();
        }
    }

    // Packets that wait.

    private Verdict hold(Packet packet, Output out) {
        Packet kept = udp && (held.size() >= MOST_HELD || heldOctets + packet.length() > MOST_HELD_OCTETS) ? null : keep(packet);
        if (kept == null) {
            return udp ? noRoom() : withoutRoom(out);
        }
        held.add(kept);
        heldOctets += kept.length();
        counters.waited.increment();
        if (session != null) {
            session.waited.increment();
        }
        if (held.size() == 1) {
            stream.holdToRate(true);
            wake();
        }
        return Verdict.TAKEN;
    }

    /** A packet to keep; null if all streams together keep as much as they may. */
    private static Packet keep(Packet packet) {
        try {
            return packet.retain();
        } catch (AnepException e) {
            return null;
        }
    }

    private Verdict noRoom() {
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
        stream.holdToRate(false);
        return Verdict.PASS;
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
            stream.later(Duration.ofNanos(Math.max(0, Math.min(wait, controller.settings().period().toNanos()))), (forward, back) -> drain(forward));
        }
    }

    private void drain(Output forward) {
        draining = false;
        while (!held.isEmpty()) {
            Packet packet = held.peek();
            int octets = packet.length() + headers;
            int dscp = session == null || !ready() ? bestEffort() : treatment.admit(octets, packet.receivedNanos(), stream.nanoTime());
            if (dscp == Conditioner.WAIT) {
                wake();
                return;
            }
            taken();
            if (dscp == Conditioner.DROP) {
                dropped();
            } else {
                forward.mark(dscp);
                forward.emit(packet);
                if (session != null) {
                    passed(packet, octets, forward);
                }
            }
            packet.release();
        }
        stream.holdToRate(false);
        if (endHeld) {
            endHeld = false;
            forward.releaseEnd();
        }
    }

    // Back, the end, and what is shown.

    @Override
    public Verdict onReturn(Packet packet, Output out) {
        if (udp && packet.qosSession() == 0) {
            ByteBuf payload = packet.payload();
            if (Messages.isMessage(payload) && programming.answer(payload)) {
                return Verdict.TAKEN;
            }
        }
        return Verdict.PASS;
    }

    @Override
    public void onEnd(Output out) {
        if (!held.isEmpty()) {
            endHeld = true;
            out.holdEnd();
        }
    }

    @Override
    public Map<String, Object> report() {
        Map<String, Object> report = new LinkedHashMap<>();
        if (code != 0) {
            report.put("session", Messages.hex(code));
            report.put("known", session != null);
        }
        Order now = treatment.order();
        if (session != null && now != null) {
            report.put("class", now.qosClass().name());
            report.put("dscp", now.qosClass().green());
            report.put("packets", session.packets.sum());
            report.put("dropped", session.dropped.sum());
            report.put("waited", session.waited.sum());
        }
        report.put("waiting", held.size());
        return report;
    }

    @Override
    public void close() {
        held.forEach(Packet::release);
        held.clear();
        heldOctets = 0;
        leave();
        programming.close();
    }
}
