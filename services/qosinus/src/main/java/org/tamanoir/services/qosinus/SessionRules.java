package org.tamanoir.services.qosinus;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Match;
import org.tamanoir.service.rule.Prefix;
import org.tamanoir.service.rule.RuleCounters;

/**
 * Light rules of sessions: what a rule can do for a flow of datagrams the kernel can do too, past the handlers. Called under the session's
 * lock.
 */
final class SessionRules {
    /** Of qosinus: rules are for a service's own Type ID. */
    static final int TYPE_ID = 0x5404;

    private final ServiceContext service;

    SessionRules(ServiceContext service) {
        this.service = service;
    }

    /**
     * Puts the rule of a session, or takes it away.
     *
     * @param actions that do all its order asks for; empty where that is more than a rule can
     */
    void apply(Session session, List<Action> actions) {
        Prefix source = source(session);
        if (actions.isEmpty() || source == null && session.entry) {
            remove(session);
            return;
        }
        List<Action> all = new ArrayList<>(actions);
        all.add(Action.forward());
        Match match = Match.type(TYPE_ID).withSession(session.code);
        match = session.entry ? match.from(source) : match;
        Prefix destination = session.level.flow().destination();
        try {
            service.rules().put(new LightRule(session.rule(), isHost(destination) ? match.to(destination) : match, all));
            session.ruled = true;
        } catch (RuntimeException e) {
            // No room in the table, or no actions that go together: the handler does the same.
            service.logger().debug("no rule for session {}: {}", session.name(), e.getMessage());
            remove(session);
        }
    }

    /**
     * The one host that may send, where the flow names one: at the first node the source of a packet is the application. Other lengths of
     * prefixes are left to the handler, since each costs every packet a look-up more.
     */
    private static Prefix source(Session session) {
        Prefix source = session.level.flow().source();
        return isHost(source) ? source : null;
    }

    private static boolean isHost(Prefix prefix) {
        return prefix != null && prefix.length() == prefix.network().getAddress().length * Byte.SIZE;
    }

    void remove(Session session) {
        if (session.ruled) {
            service.rules().remove(session.rule());
            session.ruled = false;
            session.ruledPackets = 0;
            session.ruledOctets = 0;
        }
    }

    RuleCounters counters(Session session) {
        return service.rules().counters(session.rule());
    }
}
