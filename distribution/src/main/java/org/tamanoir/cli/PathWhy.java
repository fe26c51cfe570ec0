package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import org.tamanoir.cli.ObservatoryCommand.ObservatoryQuestion;
import org.tamanoir.cli.Units.Time;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tamanoir path why}. */
@Command(name = "why", mixinStandardHelpOptions = true,
        description = {"Show what limits transfers between two hosts or domains: source, receiver, path-before, path-after, node, class or nothing, each with "
                + "its share of the time, and the newest streams.",
            "Theodolites report the streams that pass through their nodes. What probes have measured follows."},
        footer = {"", "Example:", "  tamanoir path why naples pisa --last 1h", "", "Exit codes: " + ExitCode.EXPLAINED})
final class PathWhy extends ObservatoryQuestion {
    private static final int LISTED = 10;

    @Parameters(index = "0", paramLabel = "FROM", description = "The source: a host, an address, a theodolite or a domain.")
    private String from;

    @Parameters(index = "1", paramLabel = "TO", description = "The destination.")
    private String to;

    @Option(names = "--last", paramLabel = "TIME", defaultValue = "1h", converter = Time.class, description = "How far back to look. Default: ${DEFAULT-VALUE}.")
    private Duration last;

    @Option(names = "--streams", paramLabel = "N", defaultValue = "" + LISTED, description = "How many streams to list, from 1 to 1000. Default: ${DEFAULT-VALUE}.")
    private int streams;

    @Option(names = "--series", description = "Draw the rate, congestion window and round trip of the stream that a theodolite recorded last.")
    private boolean series;

    private String path(String what) {
        return "/v1/paths/" + HttpFetch.segment(from) + "/" + HttpFetch.segment(to) + "/" + what + "?last=" + last.toMillis() / 1000.0;
    }

    @Override
    JsonNode ask(HttpFetch fetch) {
        JsonNode why = fetch.json(path("why") + "&streams=" + streams);
        if (series) {
            ((ObjectNode) why).set("series", fetch.json(path("series")));
        }
        return why;
    }

    @Override
    void print(JsonNode why, PrintWriter out) {
        JsonNode first = why.path("causes").path(0);
        if (!first.isMissingNode()) {
            out.printf("%s, %s of the time%n", first.path("word").asText(), percent(first.path("time")));
        }
        out.println(why.path("rule").asText() + (why.path("complete").asBoolean() ? "" : "; the newest of very many"));
        if (!first.isMissingNode()) {
            out.printf("%d streams, %s%n", why.path("streams").asLong(), Units.bytes(why.path("octets").asDouble()));
            JsonNode worst = why.path("worst");
            out.printf("the slowest: %s to %s, %s: %s%n", worst.path("source").asText(), worst.path("destination").asText(), rate(worst), worst.path("sentence").asText());
            causes(why.path("causes"), out);
            views(why.path("views"), out);
            newest(why.path("newest"), out);
        }
        probes(why.path("probes"), out);
        if (why.has("series")) {
            draw(why.path("series"), out);
        }
    }

    private void draw(JsonNode recorded, PrintWriter out) {
        out.println();
        out.printf("stream %d of %s from %s to %s%n", recorded.path("stream").asLong(), recorded.path("theodolite").asText(), recorded.path("source").asText(), recorded.path("destination").asText());
        JsonNode after = recorded.path("legs").path("after");
        JsonNode times = after.path("times");
        JsonNode columns = after.path("columns");
        double[] ago = new double[times.size()];
        double[] rates = new double[ago.length];
        double[] windows = new double[ago.length];
        double[] trips = new double[ago.length];
        for (int i = 0; i < ago.length; i++) {
            ago[i] = (System.currentTimeMillis() - times.get(i).asLong()) / 1e3;
            double seconds = i == 0 ? 0 : (times.get(i).asLong() - times.get(i - 1).asLong()) / 1e3;
            rates[i] = seconds <= 0 ? 0 : Math.max(0, columns.path("octets").path(i).asDouble() - columns.path("octets").path(i - 1).asDouble()) * 8 / seconds / 1e6;
            windows[i] = columns.path("snd_cwnd").path(i).asDouble() * columns.path("snd_mss").path(i).asDouble() / 1e3;
            trips[i] = columns.path("rtt").path(i).asDouble() / 1e3;
        }
        Plot.stream(last, ago, rates, windows, trips, out);
    }

    private static void causes(JsonNode causes, PrintWriter out) {
        out.println();
        Table table = new Table("CAUSE", "TIME", "STREAMS", "OCTETS");
        causes.forEach(each -> table.row(each.path("word").asText(), percent(each.path("time")), percent(each.path("streams")), percent(each.path("octets"))));
        table.print(out);
    }

    /** A stream that passes two nodes is seen by both. */
    private static void views(JsonNode views, PrintWriter out) {
        if (views.size() > 1) {
            out.println();
            views.properties().forEach(each -> {
                JsonNode first = each.getValue().path("causes").path(0);
                out.printf("seen from %s: %s, %s of the time of %d streams%n", each.getKey(), first.path("word").asText(), percent(first.path("time")), each.getValue().path("streams").asLong());
            });
        }
    }

    private static void newest(JsonNode newest, PrintWriter out) {
        out.println();
        Table table = new Table("AGO", "AT", "SOURCE", "DESTINATION", "CLASS", "MBIT/S", "SIZE", "CAUSE", "SHARE");
        newest.forEach(each -> table.row(Units.millis(Math.max(0, System.currentTimeMillis() - each.path("time").asLong())), each.path("theodolite").asText(), each.path("source").asText(),
                each.path("destination").asText(), each.path("class").asText(), String.format(Locale.ROOT, "%.1f", each.path("mbits").asDouble()), Units.bytes(each.path("size").asDouble()),
                each.path("cause").asText() + (each.path("sure").asBoolean() ? "" : "?"), percent(each.path("share"))));
        table.print(out);
    }

    private static void probes(JsonNode probes, PrintWriter out) {
        out.println();
        probes.properties().forEach(each -> {
            JsonNode found = each.getValue();
            String unit = found.path("unit").asText().isEmpty() ? "" : " " + found.path("unit").asText();
            out.println(each.getKey() + ": " + (!found.path("known").asBoolean() ? found.path("rule").asText()
                    : String.format(Locale.ROOT, "%.6g%s %s ago by %s, median of %d %.6g%s", found.path("newest").asDouble(), unit, Units.millis(1000 * found.path("seconds").asLong()), found.path("by").asText(),
                            found.path("samples").asInt(), found.path("median").asDouble(), unit)));
        });
    }

    private static String percent(JsonNode part) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * part.asDouble());
    }

    private static String rate(JsonNode stream) {
        return String.format(Locale.ROOT, "%.1f Mbit/s", stream.path("mbits").asDouble());
    }
}
