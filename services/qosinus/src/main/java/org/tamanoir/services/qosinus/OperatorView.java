package org.tamanoir.services.qosinus;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.spec.LevelWriter;
import org.tamanoir.qos.wire.Messages;
import org.tamanoir.qos.wire.Messages.Stop;
import org.tamanoir.service.Partner;
import org.tamanoir.service.ServiceContext;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.Finding;
import org.tamanoir.service.qos.QosEnforcement;
import org.tamanoir.service.qos.QosEnforcement.Order;

/** What operators are shown: {@code sessions}, {@code session?code=…}, {@code classes}, {@code events}. */
final class OperatorView {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MOST_LISTED = 1000;
    /** What is greater stands for "not at all". */
    private static final double MOST_NUMBER = 1e12;

    private final ServiceContext service;
    private final SessionTable table;
    private final Controller controller;
    private final Partners partners;
    private final Events events;

    OperatorView(ServiceContext service, SessionTable table, Controller controller, Partners partners, Events events) {
        this.service = service;
        this.table = table;
        this.controller = controller;
        this.partners = partners;
        this.events = events;
    }

    Map<String, Object> show(String what, Map<String, String> parameters) {
        return switch (what) {
            case "sessions" -> sessions();
            case "session" -> session(parameters.get("code"));
            case "classes" -> classes();
            case "events" -> Map.of("events", events.all());
            default -> throw new AnepException(ErrorCode.NOT_FOUND, "qosinus shows sessions, session, classes and events, not '" + what + "'");
        };
    }

    private Map<String, Object> sessions() {
        List<Map<String, Object>> rows = new ArrayList<>();
        // Whether one rests is asked once: it changes while they are sorted.
        record Listed(Session session, boolean rests) {
        }
        table.all().stream().map(session -> new Listed(session, session.order == null))
                .sorted(Comparator.comparing(Listed::rests).thenComparing(listed -> listed.session().openedMillis))
                .limit(MOST_LISTED).forEach(listed -> rows.add(row(listed.session())));
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("stored", table.size());
        shown.put("active", controller.active());
        shown.put("sessions", rows);
        return shown;
    }

    private Map<String, Object> row(Session session) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("session", session.name());
        row.put("owner", session.owner.getHostAddress());
        row.put("flow", LevelWriter.write(session.level).get("flow").toString());
        row.put("class", className(session));
        row.put("state", state(session.choice));
        Session back = session.back;
        if (back != null) {
            row.put("backClass", className(back));
            row.put("backState", state(back.choice));
            row.put("backPackets", back.packets.sum());
        }
        row.put("packets", session.packets.sum());
        row.put("octets", session.octets.sum());
        row.put("dropped", session.dropped.sum());
        return row;
    }

    private static String className(Session session) {
        Order order = session.order;
        return order == null ? null : order.qosClass().name();
    }

    private Map<String, Object> session(String code) {
        Session session = null;
        try {
            session = code == null ? null : table.find(Long.parseUnsignedLong(code, 16));
        } catch (NumberFormatException e) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "'" + code + "' is no session code: 1 to 16 hexadecimal digits", e);
        }
        if (session == null) {
            throw new AnepException(ErrorCode.NO_QOS_SESSION, "there is no session " + code + " at this node");
        }
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("session", session.name());
        shown.put("opened", Instant.ofEpochMilli(session.openedMillis).toString());
        shown.put("owner", session.owner.getHostAddress());
        shown.put("level", plain(session));
        shown.put("path", session.path.stream().map(OperatorView::stop).toList());
        direction(session, shown);
        if (session.level.objectives().transfer() != null) {
            shown.put("transfer", transfer(session));
        }
        Session back = session.back;
        if (back != null) {
            Map<String, Object> other = new LinkedHashMap<>();
            direction(back, other);
            shown.put("back", other);
        }
        shown.put("partners", partners());
        shown.put("events", events.of(session));
        return shown;
    }

    /** One direction: the class that it has, and why. */
    private static void direction(Session session, Map<String, Object> shown) {
        shown.put("segment", session.segment == null ? null : session.segment.egress() + " by " + Messages.text(session.segment.reflector()));
        shown.put("counted", Map.of("packets", session.packets.sum(), "octets", session.octets.sum(), "dropped", session.dropped.sum(),
                "waited", session.waited.sum()));
        Choice choice = session.choice;
        Order order = session.order;
        shown.put("state", state(choice));
        if (choice != null && order != null) {
            shown.put("class", order.qosClass().name());
            shown.put("dscp", order.qosClass().green());
            shown.put("allocated", order.rate());
            shown.put("marked", session.ruled ? "by a rule" : "by the node's socket");
            shown.put("reason", choice.reason());
            shown.put("findings", choice.findings().stream().map(OperatorView::finding).toList());
            shown.put("samples", samples(session.samples));
            shown.put("wanted", choice.history().wanted());
            shown.put("wantedPeriods", choice.history().periods());
        }
    }

    private static String state(Choice choice) {
        return choice == null ? "at rest" : choice.state().name().toLowerCase(Locale.ROOT);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> plain(Session session) {
        return JSON.convertValue(LevelWriter.write(session.level), Map.class);
    }

    /** The file that has to be there in time. */
    private Map<String, Object> transfer(Session session) {
        Map<String, Object> shown = new LinkedHashMap<>();
        TransferWatch watch = session.transfer;
        TransferPace.State state = watch == null ? TransferPace.State.WAITING : watch.pace.state();
        shown.put("state", state.name().toLowerCase(Locale.ROOT).replace('_', ' '));
        shown.put("size", session.level.objectives().transfer().size());
        shown.put("carried", watch == null ? 0 : watch.pace.carried());
        shown.put("deadline", watch == null || watch.deadline() == null ? null : watch.deadline().toString());
        if (state.isDone()) {
            shown.put("lateSeconds", number(watch.pace.lateNanos() / 1e9));
        } else if (state != TransferPace.State.WAITING) {
            shown.put("leftSeconds", number(watch.pace.leftNanos(service.nanoTime()) / 1e9));
            shown.put("needed", session.rate(controller.settings().rate()));
            shown.put("impossible", watch.impossible);
        }
        return shown;
    }

    private static Map<String, Object> stop(Stop stop) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("node", stop.node());
        shown.put("address", Messages.text(stop.address()));
        shown.put("probes", stop.probes() == null ? null : Messages.text(stop.probes()));
        return shown;
    }

    private static Map<String, Object> finding(Finding finding) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("class", finding.className());
        shown.put("feasible", finding.feasible());
        shown.put("score", number(finding.score()));
        shown.put("text", finding.text());
        return shown;
    }

    /** Samples with the numbers that are known. */
    static Map<String, Object> samples(Map<String, ClassSample> samples) {
        Map<String, Object> shown = new TreeMap<>();
        samples.forEach((name, sample) -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("rttMs", number(sample.rttMs()));
            one.put("rttP95Ms", number(sample.rttP95Ms()));
            one.put("oneWayMs", number(sample.oneWayMs()));
            one.put("jitterMs", number(sample.jitterMs()));
            one.put("lossPct", number(sample.lossPct()));
            one.put("tcpMbps", number(sample.tcpMbps()));
            one.put("udpMbps", number(sample.udpMbps()));
            one.put("rateVariationPct", number(sample.rateVariationPct()));
            one.put("probes", sample.probes());
            one.put("passive", sample.passive());
            one.put("dscpKept", sample.dscpKept());
            one.put("ageSeconds", number(sample.ageSeconds()));
            shown.put(name, one);
        });
        return shown;
    }

    /** A number that people read; JSON has no word for one that is none. */
    private static Double number(double value) {
        return Math.abs(value) < MOST_NUMBER ? Math.round(value * 1000) / 1000.0 : null;
    }

    private Map<String, Object> classes() {
        QosEnforcement enforcement = partners.enforcement().get();
        Map<String, Long> allocated = enforcement == null ? Map.of() : enforcement.allocated();
        List<Map<String, Object>> rows = new ArrayList<>();
        for (QosClass each : controller.settings().classes()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("class", each.name());
            row.put("dscp", List.of(each.green(), each.yellow(), each.red()));
            row.put("capacity", each.capacity());
            row.put("allocated", allocated.getOrDefault(each.name(), 0L));
            rows.add(row);
        }
        return Map.of("node", service.node().name(), "classes", rows, "partners", partners());
    }

    private Map<String, Object> partners() {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("qos-monitoring", version(partners.monitoring()));
        shown.put("qos-decision", version(partners.decision()));
        shown.put("qos-enforcement", version(partners.enforcement()));
        return shown;
    }

    private static String version(Partner<?> partner) {
        String version = partner.version();
        return version == null ? "not there" : version;
    }
}
