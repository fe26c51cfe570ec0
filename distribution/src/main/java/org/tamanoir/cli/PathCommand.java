package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.tamanoir.cli.ObservatoryCommand.ObservatoryQuestion;
import org.tamanoir.cli.Units.Size;
import org.tamanoir.cli.Units.Time;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tamanoir path}: what is known of paths. */
@Command(name = "path", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND", description = "Ask an observatory about paths.",
        subcommands = {PathCommand.ListAll.class, PathCommand.Show.class, PathWhy.class}, footer = {"", "Example:", "  tamanoir path list"})
final class PathCommand {
    /** Of one metric, that people see; programs see all. */
    private static final int MOST_SAMPLES = 3;

    private PathCommand() {
    }

    private static String number(JsonNode value, String format) {
        return value.isNumber() ? String.format(Locale.ROOT, format, value.asDouble()) : "-";
    }

    private static String age(long time) {
        return Units.millis(Math.max(0, System.currentTimeMillis() - time));
    }

    /** What is missing, of a cost that is not known; the rule otherwise. */
    private static String reason(JsonNode why, boolean isKnown) {
        for (JsonNode line : why) {
            if (!isKnown && (line.asText().startsWith("no ") || line.asText().startsWith("the newest "))) {
                return line.asText();
            }
        }
        return why.path(0).asText();
    }

    /** All rules, and of the samples behind each the newest. @param said a line that has been printed already */
    private static void printReasons(JsonNode why, String said, PrintWriter out) {
        int samples = 0;
        for (JsonNode line : why) {
            if (line.asText().equals(said)) {
                continue;
            }
            boolean isSample = line.asText().endsWith(" s old");
            if (!isSample && samples > MOST_SAMPLES) {
                out.println("           ... and " + (samples - MOST_SAMPLES) + " older ones");
            }
            samples = isSample ? samples + 1 : 0;
            if (samples <= MOST_SAMPLES) {
                out.println("           " + line.asText());
            }
        }
        if (samples > MOST_SAMPLES) {
            out.println("           ... and " + (samples - MOST_SAMPLES) + " older ones");
        }
    }

    /** {@code 12.3 s ± 0.4}, or why there is none. */
    private static void printCosts(JsonNode costs, PrintWriter out, boolean explain) {
        costs.properties().forEach(each -> {
            JsonNode cost = each.getValue();
            String unit = cost.path("unit").asText().isEmpty() ? "" : " " + cost.path("unit").asText();
            String missing = cost.path("known").asBoolean() ? "" : reason(cost.path("why"), false);
            out.printf(Locale.ROOT, "%-10s %s%n", each.getKey(), missing.isEmpty() ? String.format(Locale.ROOT, "%.6g%s ± %.3g", cost.path("value").asDouble(), unit, cost.path("error").asDouble())
                    : "not known: " + missing);
            if (explain) {
                printReasons(cost.path("why"), missing, out);
            }
        });
    }

    /** {@code tamanoir path list}. */
    @Command(name = "list", mixinStandardHelpOptions = true, description = "List the measured paths with their newest values.",
            footer = {"", "Example:", "  tamanoir path list --from naples", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class ListAll extends ObservatoryQuestion {
        @Option(names = "--from", paramLabel = "NAME", description = "Only paths from this theodolite.")
        private String from;

        @Option(names = "--to", paramLabel = "NAME", description = "Only paths to this theodolite.")
        private String to;

        @Override
        JsonNode ask(HttpFetch fetch) {
            JsonNode all = fetch.json("/v1/matrix");
            for (var each = all.elements(); each.hasNext();) {
                JsonNode one = each.next();
                if (from != null && !one.path("from").asText().equals(from) || to != null && !one.path("to").asText().equals(to)) {
                    each.remove();
                }
            }
            return Json.object("samples", all);
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            Map<List<String>, Map<String, JsonNode>> paths = new TreeMap<>(java.util.Comparator.comparing(Object::toString));
            Map<List<String>, Long> times = new TreeMap<>(java.util.Comparator.comparing(Object::toString));
            for (JsonNode one : answer.path("samples")) {
                List<String> path = List.of(one.path("from").asText(), one.path("to").asText(), one.path("class").asText());
                Map<String, JsonNode> values = paths.computeIfAbsent(path, any -> new TreeMap<>());
                one.path("values").properties().forEach(value -> values.put(value.getKey(), value.getValue()));
                times.merge(path, one.path("time").asLong(), Math::max);
            }
            Table table = new Table("FROM", "TO", "CLASS", "RTT ms", "LOSS %", "JITTER ms", "MBIT/S", "AGE");
            JsonNode none = JsonNodeFactory.instance.missingNode();
            paths.forEach((path, values) -> table.row(path.get(0), path.get(1), path.get(2), number(values.getOrDefault("rtt-median", none), "%.3f"),
                    values.containsKey("loss") ? String.format(Locale.ROOT, "%.3f", 100 * values.get("loss").asDouble()) : "-", number(values.getOrDefault("jitter", none), "%.3f"),
                    number(values.getOrDefault("steady-mbits", values.getOrDefault("mbits", none)), "%.1f"), age(times.get(path))));
            table.print(out);
        }
    }

    /** {@code tamanoir path show}. */
    @Command(name = "show", mixinStandardHelpOptions = true, description = "Show everything known about one path: its ends, recent results of its sessions, and its cost.",
            footer = {"", "Example:", "  tamanoir path show naples pisa", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Show extends ObservatoryQuestion {
        @Parameters(index = "0", paramLabel = "FROM", description = "The source, a theodolite or a host.")
        private String from;

        @Parameters(index = "1", paramLabel = "TO", description = "The destination.")
        private String to;

        @Option(names = "--samples", paramLabel = "N", defaultValue = "20", description = "Samples per session, from 1 to 10000. Default: ${DEFAULT-VALUE}.")
        private int samples;

        @Override
        JsonNode ask(HttpFetch fetch) {
            return fetch.json("/v1/paths/" + HttpFetch.segment(from) + "/" + HttpFetch.segment(to) + "?samples=" + samples);
        }

        @Override
        void print(JsonNode path, PrintWriter out) {
            path.path("domains").forEach(where -> out.println(where.path("why").asText()));
            printCosts(path.path("costs"), out, false);
            path.path("sessions").properties().forEach(session -> {
                out.println();
                out.println(session.getKey());
                session.getValue().forEach(sample -> {
                    StringBuilder line = new StringBuilder("  " + age(sample.path("time").asLong()) + " ago:");
                    sample.path("values").properties().forEach(value -> line.append(' ').append(value.getKey()).append(' ').append(value.getValue().asText()));
                    out.println(line);
                });
            });
        }
    }

    /** What the questions about costs have in common. */
    abstract static class CostQuestion extends ObservatoryQuestion {
        @Option(names = "--size", paramLabel = "SIZE", converter = Size.class, defaultValue = "1G", description = "Size of the file. Default: ${DEFAULT-VALUE}.")
        private long size;

        @Option(names = "--class", paramLabel = "NAME", defaultValue = "be", description = "The class it would use. Default: ${DEFAULT-VALUE}.")
        private String qosClass;

        @Option(names = "--tolerance", paramLabel = "TIME", converter = Time.class, defaultValue = "1h", description = "Maximum age of a sample. Default: ${DEFAULT-VALUE}.")
        private Duration tolerance;

        final long size() {
            return size;
        }

        final String qosClass() {
            return qosClass;
        }

        final double toleranceSeconds() {
            return tolerance.toMillis() / 1000.0;
        }
    }

    /** {@code tamanoir cost}. */
    @Command(name = "cost", mixinStandardHelpOptions = true, description = "Show what a transfer from one host to another costs: seconds, closeness and NetCost, and the samples behind them.",
            footer = {"", "Example:", "  tamanoir cost --size 1G se.na.infn.it se1.df.unipi.it", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Cost extends CostQuestion {
        @Parameters(index = "0", paramLabel = "FROM", description = "The source, a host or a theodolite.")
        private String from;

        @Parameters(index = "1", paramLabel = "TO", description = "The destination.")
        private String to;

        @Option(names = "--forecast", description = "Forecast the next throughput instead of using the median of the last ones.")
        private boolean forecast;

        @Override
        JsonNode ask(HttpFetch fetch) {
            return fetch.json("/v1/costs?from=" + encoded(from) + "&to=" + encoded(to) + "&size=" + size() + "&class=" + encoded(qosClass()) + "&tolerance=" + toleranceSeconds() + "&forecast=" + forecast);
        }

        private static String encoded(String text) {
            return URLEncoder.encode(text, StandardCharsets.UTF_8);
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            printCosts(answer.path("costs"), out, true);
        }
    }

    /** {@code tamanoir choose}. */
    @Command(name = "choose", mixinStandardHelpOptions = true, description = "Rank replicas by what it costs to fetch a file from them, best first.",
            footer = {"", "Example:", "  tamanoir choose --size 1G --to se1.df.unipi.it se.na.infn.it se.ct.infn.it", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Choose extends CostQuestion {
        @Option(names = "--to", paramLabel = "HOST", required = true, description = "Where the file is needed.")
        private String to;

        @Option(names = "--by", paramLabel = "FUNCTION", defaultValue = "time", description = "time, closeness or netcost. Default: ${DEFAULT-VALUE}.")
        private String function;

        @Parameters(paramLabel = "REPLICA", arity = "1..*", description = "Hosts that have the file.")
        private List<String> replicas = new ArrayList<>();

        @Override
        JsonNode ask(HttpFetch fetch) {
            ObjectNode wanted = JsonNodeFactory.instance.objectNode().put("size", size()).put("class", qosClass()).put("tolerance", toleranceSeconds()).put("function", function).put("explain", true);
            replicas.forEach(wanted.putArray("replicas")::add);
            wanted.putArray("destinations").add(to);
            return fetch.post("/v1/rank", wanted);
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            Table table = new Table("REPLICA", function.toUpperCase(Locale.ROOT), "ERROR", "WHY");
            answer.path("ranked").path(to).forEach(each -> table.row(each.path("replica").asText(), each.path("known").asBoolean() ? number(each.path("value"), "%.6g") : "-",
                    each.path("known").asBoolean() ? number(each.path("error"), "%.3g") : "-", reason(each.path("why"), each.path("known").asBoolean())));
            table.print(out);
        }
    }
}
