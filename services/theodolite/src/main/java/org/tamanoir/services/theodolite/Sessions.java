package org.tamanoir.services.theodolite;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.tamanoir.paths.agenda.Agenda;
import org.tamanoir.paths.agenda.Run;
import org.tamanoir.paths.plan.Plan;
import org.tamanoir.paths.plan.Session;
import org.tamanoir.paths.wire.Peer;
import org.tamanoir.paths.wire.PlannedSession;
import org.tamanoir.paths.wire.TheodolitePlan;
import org.tamanoir.service.ServiceContext;

/**
 * The sessions of this theodolite that measure with probes, each by its schedule. One that fails is begun again after 1, 2, 4 … 60 s, a quarter more or less; the
 * others go on. Those that fill the path are {@link Slots}.
 */
final class Sessions {
    /** Runs on demand are of no use later. */
    private static final long DEMAND_MILLIS = 60_000;
    private static final long IDLE_MILLIS = 1000;

    private final ServiceContext service;
    private final TheodoliteSettings settings;
    private final Alarms alarms;
    private final SampleBuffer samples;
    private final Agenda agenda;
    private final Map<String, PlannedSession> planned = new LinkedHashMap<>();
    /** Who wants to know how a run on demand ends, by its number in the agenda. */
    private final Map<Long, BiConsumer<Boolean, String>> asked = new HashMap<>();
    private final Map<String, String> troubles = new HashMap<>();
    private long version;
    private boolean rests;
    private long done;
    private long failed;

    Sessions(ServiceContext service, TheodoliteSettings settings, Alarms alarms, SampleBuffer samples) {
        this.service = service;
        this.settings = settings;
        this.alarms = alarms;
        this.samples = samples;
        this.agenda = new Agenda(settings.name().hashCode());
    }

    /** Takes another plan; sessions that are the same go on. */
    void plan(TheodolitePlan plan) {
        version = plan.version();
        planned.clear();
        plan.sessions().forEach(each -> planned.put(each.id(), each));
        troubles.keySet().retainAll(planned.keySet());
        agenda.replace(planned.values().stream().filter(each -> !each.test().kind().isExpensive()).map(this::session).toList(), theodolite -> Set.of(), alarms.millis());
    }

    private Session session(PlannedSession each) {
        return new Session(each.task(), settings.name(), each.peer().name(), each.peer().reflector(), each.qosClass(), each.codePoint(), each.test(), each.schedule());
    }

    /** The name of a class as the plan has it, by its code point. */
    String className(int codePoint) {
        return codePoint == 0 ? Plan.BEST_EFFORT : planned.values().stream().filter(each -> each.codePoint() == codePoint).map(PlannedSession::qosClass).findFirst().orElse("dscp-" + codePoint);
    }

    PlannedSession find(String id) {
        return planned.get(id);
    }

    /** Another version measures in the place of this one, or does not any more. */
    void rest(boolean rest) {
        rests = rest;
    }

    /** Begins what is due, and comes back. */
    void step() {
        long now = alarms.millis();
        if (!rests) {
            agenda.due(now).forEach(this::begin);
        }
        // A new plan may have something sooner than the agenda knows now.
        alarms.after(Duration.ofMillis(Math.max(1, Math.min(IDLE_MILLIS, agenda.next() - now))), this::step);
    }

    /** Runs a session once, as soon as it can be. @param over told whether it is done, and why not */
    void ask(PlannedSession session, BiConsumer<Boolean, String> over) {
        Run run = agenda.ask(session(session), theodolite -> Set.of(), alarms.millis(), DEMAND_MILLIS);
        if (run.state() == Run.State.SKIPPED) {
            over.accept(false, run.reason());
        } else {
            asked.put(run.number(), over);
        }
    }

    private void begin(Run run) {
        Session session = run.session();
        InetSocketAddress to = PeerAddress.of(session.toAddress(), Peer.REFLECTOR_PORT);
        if (to == null) {
            ended(run, null, "its peer " + session.toAddress() + " has no address");
            return;
        }
        new ProbeRun(session.test(), to, session.codePoint(), settings.patience(), service.probes(), alarms, (findings, why) -> ended(run, findings, why)).start();
    }

    private void ended(Run run, Findings findings, String why) {
        long now = alarms.millis();
        String id = run.session().id();
        if (why == null) {
            samples.add(id, run.session().test().kind(), System.currentTimeMillis(), findings.values(run.session().test().kind()));
            agenda.done(run.number(), now);
            troubles.remove(id);
            done++;
        } else {
            if (!why.equals(troubles.put(id, why))) {
                service.logger().warn("session {} fails and is begun again: {}", id, why);
            }
            agenda.failed(run.number(), now, why);
            failed++;
        }
        BiConsumer<Boolean, String> over = asked.remove(run.number());
        if (over != null) {
            over.accept(why == null, why);
        }
    }

    long version() {
        return version;
    }

    int count() {
        return planned.size();
    }

    long done() {
        return done;
    }

    long failed() {
        return failed;
    }

    /** For people and programs. */
    Map<String, Object> report() {
        Map<String, Run> ahead = new HashMap<>();
        agenda.future().forEach(run -> ahead.putIfAbsent(run.session().id(), run));
        agenda.running().forEach(run -> ahead.put(run.session().id(), run));
        List<Map<String, Object>> sessions = new ArrayList<>();
        planned.forEach((id, each) -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("session", id);
            one.put("kind", each.test().kind().text());
            one.put("to", each.test().kind().isExpensive() ? each.peer().anep() : each.peer().reflector());
            Run run = ahead.get(id);
            if (run != null) {
                one.put("state", run.state() == Run.State.RUNNING ? "running" : "waits");
                one.put("inSeconds", Math.max(0, run.begins() - alarms.millis()) / 1000.0);
            } else {
                one.put("state", each.schedule() == null ? "on demand" : each.test().kind().isExpensive() ? "booked by the observatory" : "waits");
            }
            if (troubles.containsKey(id)) {
                one.put("failed", troubles.get(id));
            }
            sessions.add(one);
        });
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("version", version);
        report.put("done", done);
        report.put("failed", failed);
        report.put("sessions", sessions);
        return report;
    }
}
