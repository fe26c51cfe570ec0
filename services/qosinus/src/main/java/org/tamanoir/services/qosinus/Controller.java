package org.tamanoir.services.qosinus;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.StandardClass;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosDecision;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.State;
import org.tamanoir.service.qos.QosEnforcement;
import org.tamanoir.service.qos.QosEnforcement.Order;
import org.tamanoir.service.qos.QosMonitoring;
import org.tamanoir.service.qos.Segment;
import org.tamanoir.service.rule.Action;

/**
 * The local controller (active grid paper, section 4.1): gives each session that carries something a class, looks again every period,
 * and takes the class back when nothing passes any more. A session that carries nothing has no share: the papers reserve nothing. Safe for all
 * threads; a session's own lock keeps its changes in order.
 */
final class Controller {
    /** Sessions that one task looks at before it lets others run. */
    private static final int CHUNK = 256;
    private static final String BEST_EFFORT = StandardClass.BE.text();
    /** If new streams come so long after the next version was to take over, it has failed to start. */
    private static final long TAKEN_OVER_NANOS = 60_000_000_000L;

    private final ServiceContext service;
    private final SessionTable table;
    private final SessionStore store;
    private final Partners partners;
    private final SessionRules rules;
    private final ClassChoice chooser;
    private final SessionUsage accounts;
    private final PartnerCalls calls;
    private final Transfers transfers;
    private final Counters counters;
    private final Events events;
    private final Set<Session> active = ConcurrentHashMap.newKeySet();
    private volatile Settings settings;
    private volatile QosEnforcement enforcedBy;
    private volatile boolean retired;
    private volatile long retiredNanos;
    private Iterator<Session> expiring = List.<Session>of().iterator();

    Controller(ServiceContext service, Settings settings, SessionTable table, SessionStore store, Partners partners, Counters counters,
            Events events) {
        this.service = service;
        this.settings = settings;
        this.table = table;
        this.store = store;
        this.partners = partners;
        this.rules = new SessionRules(service);
        this.calls = new PartnerCalls(service.logger(), service::nanoTime, counters.partnerFailed);
        this.chooser = new ClassChoice(service, partners, calls, counters);
        this.accounts = new SessionUsage(service, partners, calls, rules);
        this.transfers = new Transfers(service, store, counters, events);
        this.counters = counters;
        this.events = events;
    }

    /** Other settings from now on: every session is looked at with them at once. */
    void settings(Settings changed) {
        settings = changed;
        for (Session session : active) {
            decide(session);
        }
    }

    Settings settings() {
        return settings;
    }

    PartnerCalls calls() {
        return calls;
    }

    int active() {
        return active.size();
    }

    /** Another version has the sessions now: what was not used here was used there. */
    void retire() {
        retiredNanos = service.nanoTime();
        retired = true;
    }

    boolean isRetired() {
        return retired;
    }

    /** A new stream has come: if the next version should have it for long, there is no next version. */
    void opened() {
        if (retired && service.nanoTime() - retiredNanos > TAKEN_OVER_NANOS) {
            retired = false;
        }
    }

    /** The service stops: shares that are kept by another service must not outlive it. */
    void stop() {
        for (Session session : active) {
            synchronized (session) {
                active.remove(session);
                release(session);
            }
        }
    }

    void start() {
        service.later(settings.period(), this::period);
    }

    // A period.

    /** Whatever a period comes to, the next one follows: a task that takes too long, on a machine that is too busy, is stopped by the node. */
    private void period() {
        long now = service.nanoTime();
        try {
            enforcement();
            QosMonitoring monitoring = partners.monitoring().get();
            if (monitoring != null) {
                for (Segment segment : table.segments()) {
                    calls.attempt("monitoring", () -> monitoring.watch(segment, settings.classes()));
                }
            }
            if (!retired) {
                expire(now);
            }
        } finally {
            Iterator<Session> all = new ArrayList<>(active).iterator();
            service.later(Duration.ZERO, () -> next(all, now + settings.period().toNanos()));
        }
    }

    /** Looks at some of the sessions, then lets others run; the next period begins when it is due. */
    private void next(Iterator<Session> rest, long dueNanos) {
        try {
            for (int i = 0; i < CHUNK && rest.hasNext(); i++) {
                look(rest.next());
            }
        } finally {
            if (rest.hasNext()) {
                service.later(Duration.ZERO, () -> next(rest, dueNanos));
            } else {
                service.later(Duration.ofNanos(Math.max(0, dueNanos - service.nanoTime())), this::period);
            }
        }
    }

    private void look(Session session) {
        synchronized (session) {
            if (session.order == null) {
                return;
            }
            accounts.countRuled(session);
            long now = service.nanoTime();
            if (now - session.usedNanos > settings.quiet().toNanos() || !isInTime(session)) {
                rest(session);
            } else {
                accounts.report(session, now);
                decide(session);
            }
        }
    }

    // Sessions that carry something.

    /** A session begins to carry something. @return how to treat it */
    Order activate(Session session) {
        synchronized (session) {
            if (session.order == null) {
                active.add(session);
                decide(session);
            }
            return session.order;
        }
    }

    /** A session carries nothing any more: its share and its rule go, the session stays. */
    private void rest(Session session) {
        synchronized (session) {
            active.remove(session);
            release(session);
            rules.remove(session);
            session.order = null;
            session.choice = null;
            session.history = QosDecision.History.NONE;
        }
    }

    private void release(Session session) {
        QosEnforcement enforcement = partners.enforcement().get();
        if (enforcement != null) {
            calls.attempt("enforcement", () -> enforcement.release(session.code));
        }
    }

    /** A session is gone. */
    void forget(Session session) {
        synchronized (session) {
            accounts.countRuled(session);
            transfers.ended(session);
            table.remove(session);
            rest(session);
        }
        forgetBack(session.back);
    }

    /** What came back has no session any more. @param back null for none */
    void forgetBack(Session back) {
        if (back != null) {
            rest(back);
        }
    }

    /** A session has been stored. @return why its file cannot be in time as things are; null if it can, or nobody knows */
    String assess(Session session) {
        synchronized (session) {
            return transfers.atOpening(session, session.level.objectives().transfer() == null ? List.of() : chooser.candidates(session, settings));
        }
    }

    /** A session has another service level. */
    void changed(Session session) {
        synchronized (session) {
            transfers.forgetAnother(session);
            if (session.order != null) {
                decide(session);
            }
        }
        Session back = session.back;
        if (back != null) {
            changed(back);
        }
    }

    /** Whether its schedule is now. */
    boolean isInTime(Session session) {
        long now = System.currentTimeMillis();
        return (session.level.start() == null || session.level.start().toEpochMilli() <= now)
                && (session.level.stop() == null || session.level.stop().toEpochMilli() > now);
    }

    private void expire(long now) {
        if (!expiring.hasNext()) {
            expiring = table.all().iterator();
        }
        long millis = System.currentTimeMillis();
        for (int i = 0; i < CHUNK * 16 && expiring.hasNext(); i++) {
            Session session = expiring.next();
            boolean over = session.level.stop() != null && session.level.stop().toEpochMilli() <= millis;
            if (isIdle(session, now) && (session.back == null || isIdle(session.back, now)) || over) {
                counters.expired.increment();
                events.add(millis, session, "expired", over ? "its time is over" : "it has carried nothing for " + settings.idle().toSeconds() + " s");
                forget(session);
                store.forget(session.code);
            } else if (session.order == null && session.transfer != null) {
                synchronized (session) {
                    transfers.lookAtRest(session);
                }
            }
        }
    }

    private boolean isIdle(Session session, long now) {
        return session.order == null && now - session.usedNanos > settings.idle().toNanos();
    }

    // The choice.

    private void decide(Session session) {
        synchronized (session) {
            QosEnforcement enforcement = enforcement();
            transfers.look(session);
            Choice choice = chooser.choose(session, settings, enforcement);
            QosClass chosen = choice.className() == null ? null : settings.named(choice.className());
            long rate = session.share;
            choice = transfers.judge(session, choice, chosen, session.rate(settings.rate()), session.candidates);
            boolean given = chosen != null && (!chosen.isProvisioned() || enforcement != null
                    && Boolean.TRUE.equals(calls.attempt("enforcement", () -> enforcement.allocate(session.code, chosen, rate))));
            QosClass real = given ? chosen : settings.bestEffort();
            if (!given) {
                choice = new Choice(BEST_EFFORT, State.DEGRADED, whyNot(choice, chosen), choice.findings(), choice.history());
            }
            if (!real.isProvisioned() && enforcement != null) {
                calls.attempt("enforcement", () -> enforcement.allocate(session.code, real, 0));
            }
            tell(session, choice);
            session.history = choice.history();
            session.choice = choice;
            session.enforcement = enforcement;
            Order order = new Order(session.code, session.level, session.level.flow().transport(), real, real.isProvisioned() ? rate : 0,
                    settings.classes());
            if (!order.equals(session.order)) {
                session.order = order;
                session.streams.forEach(Lane::changed);
            }
            List<Action> actions = enforcement == null || session.order.transport() != Transport.UDP ? null
                    : calls.attempt("enforcement", () -> enforcement.rule(session.order));
            rules.apply(session, actions == null ? List.of() : actions);
        }
    }

    /** Why a session does not get the class that was chosen for it. */
    private static String whyNot(Choice choice, QosClass chosen) {
        if (choice.className() == null) {
            return choice.reason();
        }
        return chosen == null ? "the class " + choice.className() + " is not there any more (" + ErrorCode.CLASS_REMOVED + ")"
                : "its share of " + chosen.name() + " is taken by others";
    }

    private void tell(Session session, Choice choice) {
        Choice before = session.choice;
        long millis = System.currentTimeMillis();
        if (before != null && !before.className().equals(choice.className())) {
            counters.changes.increment();
            events.add(millis, session, "class", before.className() + " -> " + choice.className() + ": " + choice.reason());
        }
        if (choice.state() == State.DEGRADED && (before == null || before.state() != State.DEGRADED)) {
            counters.degraded.increment();
            events.add(millis, session, "degraded", choice.reason());
            service.logger().warn("{} session {} goes in {}: {}", ErrorCode.QOS_DEGRADED, session.name(), choice.className(), choice.reason());
        } else if (before != null && before.state() == State.DEGRADED && choice.state() == State.MET) {
            events.add(millis, session, "recovered", choice.reason());
        }
    }

    /** Who enforces now. Another one than before knows of no share: all of them are asked for again before anything else. */
    private QosEnforcement enforcement() {
        QosEnforcement now = partners.enforcement().get();
        if (now != null && now != enforcedBy) {
            synchronized (active) {
                if (now != enforcedBy) {
                    for (Session session : active) {
                        Order order = session.order;
                        if (order != null) {
                            calls.attempt("enforcement", () -> now.allocate(session.code, order.qosClass(), order.rate()));
                            if (!active.contains(session)) {
                                // It has come to rest in between, and nobody would take the share back.
                                calls.attempt("enforcement", () -> now.release(session.code));
                            }
                        }
                    }
                    enforcedBy = now;
                }
            }
        }
        return now;
    }
}
