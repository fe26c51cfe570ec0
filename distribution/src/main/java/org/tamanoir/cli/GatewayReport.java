package org.tamanoir.cli;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.gateway.GatewayCounters;
import org.tamanoir.client.gateway.GatewayCounters.Failure;
import org.tamanoir.client.gateway.OpenConnection;
import org.tamanoir.client.resumable.SessionTally;
import org.tamanoir.http.HttpServer;
import org.tamanoir.http.Response;
import org.tamanoir.http.Route;

/**
 * What a gateway or an endpoint has done: as JSON at {@code /status}, for Prometheus at {@code /metrics}, and when it is stopped.
 *
 * @param who      {@code gateway} or {@code endpoint}, which begins the names of metrics
 * @param at       where it listens
 * @param services that its streams pass; none for an endpoint
 * @param open     connections that are open
 * @param sessions null where connections do not outlive nodes
 */
record GatewayReport(String who, String at, List<String> services, IntSupplier open, GatewayCounters counters, SessionTally sessions) {
    /** Connections that are listed, the oldest. */
    private static final int MOST_LISTED = 200;
    /** What the metrics are, by the name of their field. */
    private static final Map<String, String> HELP = Map.ofEntries(Map.entry("connections", "Connections that came in."), Map.entry("open", "Connections that are open."),
            Map.entry("onKeptConnections", "Streams on a connection that an earlier one had left."), Map.entry("givenUpByPrograms", "Connections that their program has cut."),
            Map.entry("broken", "Connections that failed."), Map.entry("refused", "Requests that the gateway refused by itself."), Map.entry("octetsToNode", "Octets that went to nodes."), Map.entry("octetsToProgram", "Octets that went to programs."),
            Map.entry("sessions", "Sessions that are open."), Map.entry("resumptions", "Times that a session went on by another chain of nodes."),
            Map.entry("octetsSentAgain", "Octets that were sent twice."), Map.entry("stalledMillis", "Milliseconds for which sessions had no chain, all together."),
            Map.entry("refusedChains", "Chains that were refused: late, foreign, unknown."), Map.entry("ringOctets", "Octets of memory in rings, beyond the first buffer of each connection."));

    /** Everything by name. Counters are those that end in {@code _total} as metrics. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("who", who);
        fields.put("listen", at);
        fields.put("services", services);
        fields.put("connections", counters.connections());
        fields.put("open", open.getAsInt());
        fields.put("onKeptConnections", counters.reused());
        fields.put("givenUpByPrograms", counters.aborted());
        fields.put("broken", counters.broken());
        fields.put("refused", counters.refused());
        fields.put("octetsToNode", counters.octetsToNode());
        fields.put("octetsToProgram", counters.octetsToProgram());
        if (sessions != null) {
            fields.put("sessions", sessions.open());
            fields.put("resumptions", sessions.resumptions());
            fields.put("octetsSentAgain", sessions.sentAgain());
            fields.put("stalledMillis", sessions.stalledMillis());
            fields.put("refusedChains", sessions.refusals());
            fields.put("ringOctets", sessions.ringOctets());
        }
        Failure last = counters.last();
        fields.put("lastFailureCode", last == null ? null : last.reason().code().toString());
        fields.put("lastFailure", last == null ? null : last.reason().getMessage());
        fields.put("lastFailureAt", last == null ? null : last.at().toString());
        fields.put("lastFailureOf", last == null ? null : text(last.program()));
        fields.put("openConnections", counters.openConnections(MOST_LISTED).stream().map(GatewayReport::connection).toList());
        return fields;
    }

    private static Map<String, Object> connection(OpenConnection connection) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("from", text(connection.from()));
        fields.put("to", text(connection.to()));
        fields.put("by", text(connection.by()));
        fields.put("state", connection.state().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        fields.put("ageMillis", TimeUnit.NANOSECONDS.toMillis(connection.ageNanos()));
        fields.put("octetsToNode", connection.octetsToNode());
        fields.put("octetsToProgram", connection.octetsToProgram());
        return fields;
    }

    private static String text(InetSocketAddress address) {
        return address == null ? null : HostPort.text(address);
    }

    /** One line for people. @param reset connections that were cut at the end */
    void print(PrintWriter out, int reset, boolean json) {
        if (json) {
            Map<String, Object> fields = fields();
            fields.put("resetAtStop", reset);
            Json.print(out, fields);
            return;
        }
        AnepException last = counters.lastFailure();
        out.printf("carried %d connections, %d bytes out and %d back; %d failed (%d during shutdown)%s%s%n", counters.connections(), counters.octetsToNode(),
                counters.octetsToProgram(), counters.broken(), reset, sessions == null ? "" : "; %d times by another chain of nodes, %d octets sent again, %d ms without one"
                        .formatted(sessions.resumptions(), sessions.sentAgain(), sessions.stalledMillis()), last == null ? "" : "; last: " + last.getMessage());
        out.flush();
    }

    /** Serves it to people and Prometheus. */
    HttpServer serve(InetSocketAddress at) {
        return HttpServer.at(at).route(Route.of("GET", "/status", request -> Response.json(fields())))
                .route(Route.of("GET", "/metrics", request -> Response.bytes(200, "text/plain; version=0.0.4; charset=utf-8", metrics().getBytes(StandardCharsets.UTF_8))))
                .start();
    }

    private String metrics() {
        StringBuilder text = new StringBuilder();
        fields().forEach((name, value) -> {
            if (value instanceof Number number) {
                boolean gauge = name.equals("open") || name.equals("sessions") || name.equals("ringOctets");
                String metric = "tamanoir_" + who + "_" + name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT) + (gauge ? "" : "_total");
                text.append("# HELP ").append(metric).append(' ').append(HELP.get(name)).append("\n# TYPE ").append(metric).append(gauge ? " gauge\n" : " counter\n").append(metric).append(' ').append(number).append('\n');
            }
        });
        return text.toString();
    }
}
