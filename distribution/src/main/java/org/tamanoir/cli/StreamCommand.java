package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tamanoir.cli.Units.Time;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tamanoir stream}: one stream of a node. */
@Command(name = "stream", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND", subcommands = StreamCommand.Why.class,
        description = "Query a node about one of its streams.",
        footer = {"", "Example:", "  tamanoir stream why 12"})
final class StreamCommand {
    /** {@code tamanoir stream why}. */
    @Command(name = "why", mixinStandardHelpOptions = true,
            description = {"Show why a TCP stream is not faster: source, receiver, path-before, path-after, node, class or nothing, with its share of the last "
                    + "three seconds.",
                "The evidence follows, with the rate, the congestion window and the round trip beyond the node over time."},
            footer = {"", "Examples:", "  tamanoir stream why 12", "  tamanoir stream why 12 --last 10m --node 10.2.0.1:3380", "  tamanoir stream why 12 --json"})
    static final class Why extends NodeQuery {
        /** Of the connection behind the node, on which it sends. */
        private static final List<String> SENT = List.of("snd_cwnd", "snd_wnd", "snd_mss", "unacked", "notsent_bytes", "ca_state", "rtt", "min_rtt", "bytes_sent", "bytes_retrans", "busy_time",
                "rwnd_limited", "sndbuf_limited");
        /** Of the connection from the source, on which it receives. */
        private static final List<String> RECEIVED = List.of("bytes_received", "data_segs_in", "rcv_ooopack", "last_data_recv", "rcv_wnd", "rtt", "min_rtt");
        /** What only grows: what it has grown by says more than what it is. */
        private static final List<String> GROWING = List.of("bytes_sent", "bytes_retrans", "busy_time", "rwnd_limited", "sndbuf_limited", "bytes_received", "data_segs_in", "rcv_ooopack");

        @Parameters(paramLabel = "NUMBER", description = "The node's number for it, as shown by 'node streams'.")
        private long number;

        @Option(names = "--last", paramLabel = "TIME", defaultValue = "5m", converter = Time.class, description = "How far back to draw. Default: ${DEFAULT-VALUE}.")
        private Duration last;

        @Override
        JsonNode ask() {
            return api().json("/streams/" + number + "/why");
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            JsonNode why = answer.path("why");
            JsonNode stream = answer.path("stream");
            out.printf("stream %d from %s to %s, next %s%n", number, stream.path("source").asText(), stream.path("destination").asText(), stream.path("next").asText());
            out.printf(Locale.ROOT, "%s, %.0f %% of the last %.1f s%s%n", why.path("cause").asText(), 100 * why.path("share").asDouble(), why.path("seconds").asDouble(),
                    why.path("sure").asBoolean() ? "" : ", not sure");
            out.println(why.path("sentence").asText());
            shares(why, out);
            out.println();
            Table table = new Table("CONNECTION", "FIELD", "NOW", "SINCE");
            rows(table, "from the source", why.path("before"), RECEIVED);
            rows(table, "behind the node", why.path("after"), SENT);
            table.print(out);
            JsonNode node = why.path("node");
            out.printf("the node: services %s ms, full behind it %s ms, over the rate %s ms; %s came, %s wait%n", node.path("serviceMillis").asText(),
                    node.path("pausedMillis").asText(), node.path("classMillis").asText(), Units.bytes(node.path("octets").asDouble()), Units.bytes(node.path("queuedOctets").asDouble()));
            JsonNode history = why.path("history");
            Plot.stream(last, values(history.path("ago"), 1), values(history.path("bitsPerSecond"), 1e6), values(history.path("windowOctets"), 1e3), values(history.path("tripMillis"), 1), out);
        }

        private static void shares(JsonNode why, PrintWriter out) {
            List<String> shares = new ArrayList<>();
            why.path("shares").properties().forEach(each -> shares.add(String.format(Locale.ROOT, "%s %.0f %%", each.getKey(), 100 * each.getValue().asDouble())));
            if (!shares.isEmpty()) {
                out.println("weighed: " + String.join(", ", shares));
            }
        }

        private static void rows(Table table, String connection, JsonNode states, List<String> fields) {
            for (String field : fields) {
                if (states.path("last").has(field)) {
                    long now = states.path("last").path(field).asLong();
                    table.row(connection, field, now, GROWING.contains(field) ? now - states.path("first").path(field).asLong() : "-");
                }
            }
        }

        private static double[] values(JsonNode array, double unit) {
            double[] values = new double[array.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = array.get(i).asDouble() / unit;
            }
            return values;
        }
    }
}
