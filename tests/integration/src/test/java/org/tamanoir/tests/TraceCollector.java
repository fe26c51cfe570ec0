package org.tamanoir.tests;

import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** A collector of traces: takes OTLP over HTTP as OpenTelemetry publishes its messages, and keeps the spans. */
final class TraceCollector implements AutoCloseable {
    /** A span, and the name of the node that has sent it. */
    record Recorded(String node, Span span) {
        String name() {
            return span.getName();
        }

        String trace() {
            return HexFormat.of().formatHex(span.getTraceId().toByteArray());
        }

        String id() {
            return HexFormat.of().formatHex(span.getSpanId().toByteArray());
        }

        String parent() {
            return HexFormat.of().formatHex(span.getParentSpanId().toByteArray());
        }

        boolean failed() {
            return span.getStatus().getCodeValue() == 2;
        }

        /** Null if there is none. */
        AnyValue attribute(String key) {
            return value(span.getAttributesList(), key);
        }

        String text(String key) {
            return attribute(key) == null ? null : attribute(key).getStringValue();
        }

        List<String> texts(String key) {
            return attribute(key) == null ? List.of() : attribute(key).getArrayValue().getValuesList().stream().map(AnyValue::getStringValue).toList();
        }

        List<String> events() {
            return span.getEventsList().stream().map(Span.Event::getName).toList();
        }
    }

    private final HttpServer server;
    private final List<Recorded> spans = new CopyOnWriteArrayList<>();

    TraceCollector() throws IOException {
        server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/v1/traces", this::take);
        server.start();
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            for (ResourceSpans resource : ExportTraceServiceRequest.parseFrom(exchange.getRequestBody()).getResourceSpansList()) {
                String node = value(resource.getResource().getAttributesList(), "service.name").getStringValue();
                resource.getScopeSpansList().forEach(scope -> scope.getSpansList().forEach(span -> spans.add(new Recorded(node, span))));
            }
            exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
            exchange.sendResponseHeaders(200, -1);
        }
    }

    private static AnyValue value(List<KeyValue> attributes, String key) {
        return attributes.stream().filter(each -> each.getKey().equals(key)).findFirst().map(KeyValue::getValue).orElse(null);
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    List<Recorded> spans() {
        return spans;
    }

    /** The spans of a trace, when as many streams of it have come as nodes carry it. */
    List<Recorded> trace(String id, int streams) {
        Predicate<Recorded> ofTrace = recorded -> recorded.trace().equals(id);
        await().atMost(Duration.ofSeconds(30)).until(() -> spans.stream().filter(ofTrace.and(recorded -> recorded.name().equals("stream"))).count() == streams);
        return spans.stream().filter(ofTrace).toList();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
