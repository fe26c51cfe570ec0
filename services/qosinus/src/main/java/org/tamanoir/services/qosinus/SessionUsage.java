package org.tamanoir.services.qosinus;

import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosMonitoring;
import org.tamanoir.service.qos.QosMonitoring.HeldBack;
import org.tamanoir.service.rule.RuleCounters;

/** What sessions have carried: by their rules, and for the monitoring, to which flows are measurements too. Called under a session's lock. */
final class SessionUsage {
    private final ServiceContext service;
    private final Partners partners;
    private final PartnerCalls calls;
    private final SessionRules rules;

    SessionUsage(ServiceContext service, Partners partners, PartnerCalls calls, SessionRules rules) {
        this.service = service;
        this.partners = partners;
        this.calls = calls;
        this.rules = rules;
    }

    /** What the rule of a session has let pass since the last time, here or in the kernel. */
    void countRuled(Session session) {
        if (session.ruled) {
            RuleCounters counted = rules.counters(session);
            if (counted.packets() < session.ruledPackets || counted.octets() < session.ruledOctets) {
                // They have begun anew: another version's rule has come and gone.
                session.ruledPackets = 0;
                session.ruledOctets = 0;
            }
            if (counted.packets() > session.ruledPackets) {
                session.usedNanos = service.nanoTime();
            }
            long packets = counted.packets() - session.ruledPackets;
            long octets = counted.octets() - session.ruledOctets;
            session.packets.add(packets);
            session.octets.add(octets);
            session.payload.add(Math.max(0, octets - packets * session.around));
            session.ruledPackets = counted.packets();
            session.ruledOctets = counted.octets();
        }
    }

    /**
     * Tells the monitoring what a TCP flow has carried: how fast it went where the network held it back is a measurement of the class, and how
     * steadily where it had more to send.
     */
    void report(Session session, long now) {
        long octets = session.octets.sum();
        long packets = session.packets.sum();
        long limited = session.limited.sum();
        long carried = octets - session.reportedOctets;
        boolean stalled = session.stalled;
        session.stalled = false;
        if (session.reportedNanos != 0 && session.segment != null && session.order.transport() == Transport.TCP) {
            long nanos = now - session.reportedNanos;
            HeldBack by = isPoliced(session, carried, nanos) ? HeldBack.PROFILE
                    : carried == 0 ? stalled ? HeldBack.NETWORK : HeldBack.SOURCE
                    : 2 * (limited - session.reportedLimited) > packets - session.reportedPackets ? HeldBack.NETWORK : HeldBack.SOURCE;
            QosMonitoring monitoring = partners.monitoring().get();
            if (monitoring != null) {
                // What varies because the share was changed is not the class's doing: with another share it counts as another flow.
                long flow = 31 * session.code + session.order.rate();
                calls.attempt("monitoring", () -> monitoring.carried(session.segment, session.order.qosClass().name(), flow, carried, nanos, by));
            }
            if (carried == 0) {
                // Nobody knows whether the source is silent or the network takes nothing: the sockets do, by the next period.
                session.streams.forEach(Lane::askWhetherStalled);
            }
        }
        session.reportedOctets = octets;
        session.reportedPackets = packets;
        session.reportedLimited = limited;
        session.reportedNanos = now;
    }

    /** Whether it is its own profile that holds a flow back. */
    private static boolean isPoliced(Session session, long octets, long nanos) {
        return session.order.rate() > 0 && octets * 1e9 / nanos > 0.9 * session.order.rate();
    }
}
