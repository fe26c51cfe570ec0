package org.tamanoir.services.qosinus;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.StandardClass;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosDecision;
import org.tamanoir.service.qos.QosDecision.Candidate;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.Question;
import org.tamanoir.service.qos.QosDecision.State;
import org.tamanoir.service.qos.QosEnforcement;
import org.tamanoir.service.qos.QosEnforcement.Order;
import org.tamanoir.service.qos.QosMonitoring;

/** Asks the partners which class a session should have: gathers what was measured and what is left, and checks what comes back. */
final class ClassChoice {
    /** Of the deadline of a file: so many periods before it no cheaper class is tried. */
    static final int NEAR_PERIODS = 16;

    private final ServiceContext service;
    private final Partners partners;
    private final PartnerCalls calls;
    private final Counters counters;

    ClassChoice(ServiceContext service, Partners partners, PartnerCalls calls, Counters counters) {
        this.service = service;
        this.partners = partners;
        this.calls = calls;
        this.counters = counters;
    }

    /** What a class can be chosen from at this moment; empty where nothing is measured or nobody enforces. */
    List<Candidate> candidates(Session session, Settings settings) {
        QosEnforcement enforcement = partners.enforcement().get();
        QosMonitoring monitoring = partners.monitoring().get();
        if (session.segment == null || monitoring == null || enforcement == null) {
            return List.of();
        }
        Map<String, ClassSample> samples = calls.attempt("monitoring", () -> Map.copyOf(monitoring.samples(session.segment)));
        session.samples = samples == null ? Map.of() : samples;
        return candidates(session, settings, enforcement);
    }

    /** The choice for a session now. What can be measured nowhere, or what no partner answers for, goes as best effort. Under its lock. */
    Choice choose(Session session, Settings settings, QosEnforcement enforcement) {
        long needed = session.rate(settings.rate());
        session.share = needed;
        session.candidates = List.of();
        if (session.segment == null) {
            session.samples = Map.of();
            return fixed(State.MET, "nothing behind this node can be measured: it delivers, or the next node answers no probes");
        }
        QosDecision decision = partners.decision().get();
        QosMonitoring monitoring = partners.monitoring().get();
        if (decision == null || monitoring == null || enforcement == null) {
            counters.partnerMissing.increment();
            return fixed(State.UNKNOWN, (decision == null ? "qos-decision" : monitoring == null ? "qos-monitoring" : "qos-enforcement")
                    + " is not there yet (" + ErrorCode.PARTNER_MISSING + ")");
        }
        Transport transport = session.level.flow().transport();
        session.candidates = candidates(session, settings);
        session.share = session.transfer == null ? needed : Share.of(needed, transport, session.candidates);
        Question question = new Question(session.needs(needed), transport, session.share, session.segments(), worthTrying(session, settings), session.history,
                service.nanoTime());
        Choice choice = calls.attempt("decision", () -> whole(decision.choose(question)));
        return choice != null ? choice : fixed(State.UNKNOWN, "qos-decision has failed");
    }

    /**
     * Near its deadline a file stays where it is or goes up: a class shows that it carries too little only when it has been tried for some periods, and then what was lost
     * cannot be caught up with.
     */
    private List<Candidate> worthTrying(Session session, Settings settings) {
        TransferWatch file = session.transfer;
        if (file == null || session.order == null || file.pace.state().isDone() || file.pace.leftNanos(service.nanoTime()) > NEAR_PERIODS * settings.period().toNanos()) {
            return session.candidates;
        }
        int cost = session.order.qosClass().cost();
        return session.candidates.stream().filter(each -> each.qosClass().cost() >= cost).toList();
    }

    /** What a partner says, if it says all of it. */
    private static Choice whole(Choice choice) {
        if (choice == null || choice.state() == null || choice.reason() == null || choice.history() == null) {
            throw new IllegalStateException("it has chosen " + choice);
        }
        return choice;
    }

    private List<Candidate> candidates(Session session, Settings settings, QosEnforcement enforcement) {
        Map<String, Long> allocated = calls.attempt("enforcement", () -> Map.copyOf(enforcement.allocated()));
        Order now = session.order;
        List<Candidate> candidates = new ArrayList<>();
        for (QosClass each : settings.classes()) {
            long own = now != null && now.qosClass().name().equals(each.name()) ? now.rate() : 0;
            long taken = allocated == null ? each.capacity() : allocated.getOrDefault(each.name(), 0L);
            candidates.add(new Candidate(each, session.samples.get(each.name()),
                    each.isProvisioned() ? Math.max(0, each.capacity() - taken + own) : Long.MAX_VALUE));
        }
        return candidates;
    }

    private static Choice fixed(State state, String reason) {
        return new Choice(StandardClass.BE.text(), state, reason, List.of(), QosDecision.History.NONE);
    }
}
