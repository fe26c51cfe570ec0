package org.tamanoir.services.qosinus;

import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.anep.Packet;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.service.Output;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.qos.QosEnforcement.Order;
import org.tamanoir.service.qos.ServiceLevel.Flow;

/**
 * The packets of one stream, and the session that they are of. What has no session that is known here goes as best effort, and is counted.
 * Datagrams for which a rule is in force do not come here. Over TCP a session may hold for what comes back too.
 */
final class QosStream implements StreamHandler {
    /** Headers of IP and UDP, which a profile counts. */
    private static final int HEADERS4 = 28;
    private static final int HEADERS6 = 48;
    /** The code point of others. */
    private static final int NO_MARK = -1;

    private final StreamContext stream;
    private final Controller controller;
    private final SessionTable table;
    private final Counters counters;
    private final Programming programming;
    private final boolean udp;
    private final Lane there;
    private final Lane back;
    private long code;
    private Session session;
    private boolean backMarked;

    QosStream(StreamContext stream, Controller controller, SessionTable table, Counters counters, Programming programming) {
        this.stream = stream;
        this.controller = controller;
        this.table = table;
        this.counters = counters;
        this.programming = programming;
        this.udp = stream.transport() == Transport.UDP;
        int headers = !udp ? 0 : stream.destination().getAddress().getAddress().length == 4 ? HEADERS4 : HEADERS6;
        this.there = new Lane(stream, controller, counters, () -> session != null && ready() ? session : null, false, headers);
        this.back = new Lane(stream, controller, counters, this::returning, true, headers);
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
            return there.without(packet, out, controller.settings().bestEffort().green());
        }
        return there.treat(session, packet, out);
    }

    private void bind(long said) {
        if (said == code && (said == 0 || session != null)) {
            return;
        }
        there.join(null);
        back.join(null);
        code = said;
        session = said == 0 ? null : table.find(said);
        if (session != null && !isOf(session.level.flow(), session.entry)) {
            counters.foreign.increment();
            session = null;
        }
        there.treatment().forget();
        back.treatment().forget();
        if (session != null && !udp) {
            there.join(session);
        }
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
        if (now != there.treatment().order() && !isOf(now.level().flow(), session.entry)) {
            // It was modified, and is for another flow now.
            session = null;
            return false;
        }
        there.treatment().follow(now, session.enforcement);
        return true;
    }

    /** The session for what comes back; null if there is none, or if it says nothing now. */
    private Session returning() {
        Session now = session == null || table.find(code) != session || !controller.isInTime(session) ? null : session.back;
        back.join(now);
        if (now == null) {
            back.treatment().forget();
            return null;
        }
        Order order = now.order;
        back.treatment().follow(order != null ? order : controller.activate(now), now.enforcement);
        return now;
    }

    @Override
    public Verdict onReturn(Packet packet, Output out) {
        if (udp) {
            ByteBuf payload = packet.qosSession() == 0 ? packet.payload() : null;
            return payload != null && Messages.isMessage(payload) && programming.answer(payload) ? Verdict.TAKEN : Verdict.PASS;
        }
        Session now = returning();
        if (now != null) {
            backMarked = true;
            return back.treat(now, packet, out);
        }
        return backMarked ? back.without(packet, out, NO_MARK) : Verdict.PASS;
    }

    @Override
    public void onEnd(Output out) {
        there.end(out);
    }

    @Override
    public void onReturnEnd(Output out) {
        back.end(out);
    }

    @Override
    public Map<String, Object> report() {
        Map<String, Object> report = new LinkedHashMap<>();
        if (code != 0) {
            report.put("session", Messages.hex(code));
            report.put("known", session != null);
        }
        Order now = there.treatment().order();
        if (session != null && now != null) {
            report.put("class", now.qosClass().name());
            report.put("dscp", now.qosClass().green());
            report.put("packets", session.packets.sum());
            report.put("dropped", session.dropped.sum());
            report.put("waited", session.waited.sum());
        }
        Order returned = back.treatment().order();
        if (returned != null) {
            report.put("backClass", returned.qosClass().name());
            report.put("backDscp", returned.qosClass().green());
        }
        report.put("waiting", there.waiting() + back.waiting());
        return report;
    }

    @Override
    public void close() {
        there.close();
        back.close();
        programming.close();
    }
}
