package org.tamanoir.services.qosinus;

import java.util.List;
import java.util.Locale;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosDecision.Candidate;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.State;
import org.tamanoir.service.qos.ServiceLevel.Transfer;

/** Files that have to be there in time: looks at how each is doing, and tells what happens to it. Called under the lock of a session. */
final class Transfers {
    /** So many periods in a row no class must carry what is needed before that is told: one measurement is often wrong. */
    static final int MEANT_PERIODS = 3;
    private static final double MEGABIT = 125_000;
    private static final double NANOS_PER_SECOND = 1e9;

    private final ServiceContext service;
    private final SessionStore store;
    private final Counters counters;
    private final Events events;

    Transfers(ServiceContext service, SessionStore store, Counters counters, Events events) {
        this.service = service;
        this.store = store;
        this.counters = counters;
        this.events = events;
    }

    /** What has passed of the file of a session that carries something; before its class is chosen. */
    void look(Session session) {
        forgetAnother(session);
        Transfer asked = session.level.objectives().transfer();
        if (asked == null) {
            return;
        }
        TransferWatch watch = session.transfer;
        if (watch == null) {
            // What has passed until now was not of it.
            watch = new TransferWatch(asked, session.payload.sum(), session.order == null);
            session.transfer = watch;
        }
        advance(session, watch);
        if (watch.isToBeKept()) {
            store.keep(session);
        }
    }

    /** The session may be for another file than before, or for none; at rest too. */
    void forgetAnother(Session session) {
        TransferWatch watch = session.transfer;
        if (watch != null && !watch.asked.equals(session.level.objectives().transfer())) {
            session.transfer = null;
        }
    }

    private void advance(Session session, TransferWatch watch) {
        TransferPace.State before = watch.pace.state();
        TransferPace.State now = watch.look(session.payload.sum(), service.nanoTime(), System.currentTimeMillis());
        if (now != before) {
            tell(session, watch, before, now);
        }
    }

    private void tell(Session session, TransferWatch watch, TransferPace.State before, TransferPace.State now) {
        double late = watch.pace.lateNanos() / NANOS_PER_SECOND;
        switch (now) {
            case RUNNING -> add(session, "transfer", watch.asked.size() + " octets are to be there by " + watch.deadline());
            case LATE -> {
                counters.late.increment();
                add(session, "late", watch.asked.size() - watch.pace.carried() + " octets are missing at the deadline");
                service.logger().warn("{} session {} is late: {} of {} octets have passed by {}", ErrorCode.QOS_DEGRADED, session.name(),
                        watch.pace.carried(), watch.asked.size(), watch.deadline());
            }
            case DONE -> {
                counters.inTime.increment();
                add(session, "done", String.format(Locale.ROOT, "in time, %.1f s before the deadline", -late));
            }
            case DONE_LATE -> {
                if (before != TransferPace.State.LATE) {
                    counters.late.increment();
                }
                add(session, "done", String.format(Locale.ROOT, "late by %.1f s", late));
            }
            default -> {
                // Not yet begun.
            }
        }
    }

    private void add(Session session, String what, String text) {
        events.add(System.currentTimeMillis(), session, what, text);
    }

    /** A session ends: a file that is not whole will not be. */
    void ended(Session session) {
        TransferWatch watch = session.transfer;
        if (watch == null || watch.pace.state() == TransferPace.State.WAITING) {
            return;
        }
        advance(session, watch);
        if (!watch.pace.state().isDone()) {
            add(session, "unfinished", watch.asked.size() - watch.pace.carried() + " of " + watch.asked.size() + " octets have not passed");
        }
    }

    /** A session that carries nothing: its deadline may be over all the same. */
    void lookAtRest(Session session) {
        TransferWatch watch = session.transfer;
        if (watch != null && watch.pace.state() == TransferPace.State.RUNNING) {
            advance(session, watch);
        }
    }

    /**
     * What the choice of a class means for the file: the state is not better than its own, and what no class can carry is told.
     *
     * @param needed     octets a second
     * @param candidates what the class was chosen from; empty if nothing can be measured or chosen here
     */
    Choice judge(Session session, Choice choice, QosClass chosen, long needed, List<Candidate> candidates) {
        TransferWatch watch = session.transfer;
        if (watch == null || watch.pace.state().isDone()) {
            return choice;
        }
        if (!candidates.isEmpty()) {
            weigh(session, watch, Share.most(session.level.flow().transport(), candidates), needed);
        }
        String why = watch.pace.state() == TransferPace.State.LATE ? "its deadline is over" : watch.impossible != null ? watch.impossible
                : chosen != null && chosen.isProvisioned() && session.share < needed ? String.format(Locale.ROOT,
                        "%.3f Mb/s of %s are left for the %.3f that it needs", session.share / MEGABIT, chosen.name(), needed / MEGABIT) : null;
        return why == null ? choice : new Choice(choice.className(), State.DEGRADED, choice.reason() + "; " + why, choice.findings(), choice.history());
    }

    private void weigh(Session session, TransferWatch watch, Share most, long needed) {
        if (needed <= most.most()) {
            if (watch.impossible != null) {
                add(session, "possible", "a class can carry what is left of the file again");
            }
            watch.impossible = null;
            watch.impossiblePeriods = 0;
            return;
        }
        if (++watch.impossiblePeriods >= MEANT_PERIODS || watch.impossible != null) {
            boolean first = watch.impossible == null;
            watch.impossible = impossible(most, needed);
            if (first) {
                counters.impossible.increment();
                add(session, "cannot", watch.impossible);
                service.logger().warn("{} session {} cannot be in time: {}", ErrorCode.QOS_DEGRADED, session.name(), watch.impossible);
            }
        }
    }

    /**
     * What can be said of a file when its session is opened or modified.
     *
     * @return why it cannot be in time as things are; null if it can, or nobody knows
     */
    String atOpening(Session session, List<Candidate> candidates) {
        Transfer asked = session.level.objectives().transfer();
        if (asked == null || candidates.isEmpty()) {
            return null;
        }
        TransferWatch watch = session.transfer;
        if (watch == null || !watch.asked.equals(asked) || watch.pace.state() == TransferPace.State.WAITING) {
            watch = new TransferWatch(asked, 0, true);
            watch.look(0, service.nanoTime(), System.currentTimeMillis());
        }
        // Of a file that is over nothing is needed.
        long needed = watch.wireRate(session.level.flow().transport(), session.level.flow().destination(), session.octets.sum(), session.payload.sum());
        Share most = Share.most(session.level.flow().transport(), candidates);
        if (needed <= most.most()) {
            return null;
        }
        String why = impossible(most, needed);
        add(session, "cannot", why);
        return "node " + service.node().name() + ": " + why;
    }

    private static String impossible(Share most, long needed) {
        return String.format(Locale.ROOT, "what is left in the time that is left needs %.3f Mb/s, %s", needed / MEGABIT, most.className() == null
                ? "and there is no class for it" : String.format(Locale.ROOT, "and no class carries more than %.3f (%s)", most.most() / MEGABIT,
                        most.className()));
    }
}
