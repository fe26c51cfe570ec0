package org.tamanoir.node.manage;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.tamanoir.node.manage.board.Fields;
import org.tamanoir.node.manage.board.StreamBoard;
import org.tamanoir.node.manage.configuration.Place;
import org.tamanoir.node.routing.NextHops;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceCall;
import org.tamanoir.node.service.ServiceStatus;
import org.tamanoir.node.stream.StreamCounters;
import org.tamanoir.node.stream.StreamStatus;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.service.Inspected;

/** What the console is shown of this node, looked at twice a second. On the console's thread, but for {@link #ended}. */
final class NodeBoard implements Supplier<Map<String, Map<String, Object>>> {
    /** Looks between two questions to services: these take a call that is watched. */
    private static final int LOOKS_BETWEEN_QUESTIONS = 4;
    private static final int MOST_EVENTS = 100;
    private static final String QOSINUS = "qosinus";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final NodeParts node;
    private final LiveConfiguration live;
    private final NodeStatus status;
    private final NodeEvents events;
    private final String id;
    private final StreamBoard streams;
    private Map<String, Map<String, Object>> asked = Map.of();
    private int looks;
    private long lastNanos;
    private long lastIn;
    private long lastBack;

    NodeBoard(NodeParts node, LiveConfiguration live, NodeStatus status, NodeEvents events) {
        this.node = node;
        this.live = live;
        this.status = status;
        this.events = events;
        this.id = String.format("%016x", node.id());
        this.streams = new StreamBoard(id);
    }

    /** A stream is over. Any thread. */
    void ended(StreamStatus stream) {
        streams.ended(stream);
    }

    @Override
    public Map<String, Map<String, Object>> get() {
        Map<String, Map<String, Object>> entries = new LinkedHashMap<>();
        long now = System.nanoTime();
        List<Place> places = live.inForce().places();
        for (Place place : places) {
            entries.put("place/" + id + "/" + place.name(), Map.of("name", place.name(), "latitude", place.latitude(), "longitude", place.longitude()));
        }
        entries.put("node/" + id, new LinkedHashMap<>());
        streams.look(now, node.streams().looks(), node.streams()::statuses, places, entries);
        entries.put("node/" + id, node(now, places));
        hops(entries);
        services(entries);
        events.newest(MOST_EVENTS).forEach(event -> entries.put("event/" + id + "/" + event.number(), Fields.of("time", event.time(), "kind", event.kind(), "text", event.text())));
        if (looks++ % LOOKS_BETWEEN_QUESTIONS == 0) {
            asked = ask();
        }
        entries.putAll(asked);
        return entries;
    }

    private Map<String, Object> node(long now, List<Place> places) {
        StreamCounters counters = node.streams().counters();
        long in = counters.bytesIn().sum();
        long back = counters.bytesBack().sum();
        double seconds = lastNanos == 0 ? 0 : (now - lastNanos) / 1e9;
        Map<String, Object> health = new LinkedHashMap<>(status.health());
        Object word = health.remove("status");
        Place place = Place.of(node.address().getAddress(), places);
        Map<String, Object> fields = Fields.of("address", TcpSockets.text(node.address()), "version", NodeStatus.version(), "place", place == null ? null : place.name(), "health", word,
                "problems", health.isEmpty() ? null : health, "in", in, "back", back, "rate", seconds == 0 ? 0 : Math.round(8 * (in - lastIn) / seconds), "rateBack",
                seconds == 0 ? 0 : Math.round(8 * (back - lastBack) / seconds), "memory", node.streams().retained(), "memoryLimit", node.streams().limits().memory(), "opened",
                counters.opened().sum(), "completed", counters.completed().sum(), "errors", counters.errorCounts(), "cluster",
                node.cluster().status() == null ? null : JSON.convertValue(node.cluster().status(), Map.class));
        fields.putAll(streams.drawn());
        lastNanos = now;
        lastIn = in;
        lastBack = back;
        return fields;
    }

    private void hops(Map<String, Map<String, Object>> entries) {
        Map<String, List<String>> prefixes = new LinkedHashMap<>();
        for (NextHops.Status hop : node.routes().hops().each(node.routes().all())) {
            prefixes.computeIfAbsent(hop.to(), unused -> new ArrayList<>()).add(hop.prefix());
            entries.put("hop/" + id + "/" + hop.to(), Fields.of("to", hop.to(), "prefixes", prefixes.get(hop.to()), "state", hop.state(), "takesStreams", hop.takesStreams(), "because",
                    hop.because(), "streams", hop.streams(), "failures", hop.failures()));
        }
    }

    private void services(Map<String, Map<String, Object>> entries) {
        for (ServiceStatus service : node.deployer().operator().statuses()) {
            entries.put("service/" + id + "/" + service.typeId() + "/" + service.version(), Fields.of("typeId", service.typeId(), "name", service.name(), "version", service.version(), "level",
                    service.level(), "state", service.state(), "source", service.source(), "reason", service.reason(), "advice", service.advice(), "current", service.current(), "streams",
                    service.streams(), "packets", service.packets(), "failed", service.errors(), "waitMillis", service.waitMillis()));
        }
    }

    /** What services say when they are asked: sessions of multicast and of quality of service. */
    private Map<String, Map<String, Object>> ask() {
        Map<String, Map<String, Object>> entries = new LinkedHashMap<>();
        node.streams().links().reports().forEach(report -> entries.put("link/" + id + "/" + report.name() + "/" + report.loop(),
                Fields.of("service", report.name(), "report", report.report())));
        Map<String, Object> classes = inspect(QOSINUS, "classes");
        Map<String, Object> sessions = inspect(QOSINUS, "sessions");
        if (classes != null || sessions != null) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.putAll(classes == null ? Map.of() : classes);
            all.putAll(sessions == null ? Map.of() : sessions);
            entries.put("qos/" + id, all);
        }
        return entries;
    }

    /** Null if there is no such service, or it does not answer: it is a view, and the service's failure is told elsewhere. */
    private Map<String, Object> inspect(String name, String what) {
        RunningService service = node.registry().named(name).stream().filter(each -> node.registry().find(each.typeId()) == each).findFirst().orElse(null);
        if (service == null || !(service.service() instanceof Inspected inspected)) {
            return null;
        }
        try {
            return ServiceCall.of(service, node.watch(), "answer", () -> inspected.inspect(what, Map.of()));
        } catch (RuntimeException e) {
            return null;
        }
    }
}
