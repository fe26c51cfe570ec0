package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tamanoir node tuning}. */
@Command(name = "tuning", mixinStandardHelpOptions = true, subcommands = NodeTuning.Reset.class,
        description = {"Show the rules by which a node tunes its connections, and their measured effect.",
            "WITH and WITHOUT count connections that match the rule, with and without it applied. RATE, RESENT and TRIP compare, with / without, "
                    + "the medians of those that limited their stream."},
        footer = {"", "Examples:", "  tamanoir node tuning", "  tamanoir node tuning reset long-path"})
final class NodeTuning extends NodeQuery {

    /** {@code tamanoir node tuning reset}. */
    @Command(name = "reset", mixinStandardHelpOptions = true, description = "Test a rule again from the start, whatever the earlier result.",
            footer = {"", "Example:", "  tamanoir node tuning reset long-path"})
    static final class Reset extends NodeQuery {
        @Parameters(paramLabel = "RULE", description = "The name of the rule.")
        private String rule;

        @Override
        JsonNode ask() {
            return api().post("/tuning/" + HttpFetch.segment(rule) + "/reset", Map.of());
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            table(answer, out);
        }
    }

    @Override
    JsonNode ask() {
        return api().json("/tuning");
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        table(answer, out);
    }

    private static void table(JsonNode answer, PrintWriter out) {
        Table table = new Table("RULE", "FOR", "TUNING", "STATE", "WITH", "WITHOUT", "RATE MBIT/S", "RESENT %", "TRIP", "REASON");
        answer.path("rules").forEach(rule -> table.row(rule.path("name").asText(), rule.path("legs").asText(), rule.path("tuning").asText(), rule.path("state").asText(),
                rule.path("tuned").asLong(), rule.path("untuned").asLong(), pair(rule, "bitsPerSecond", 1e-6), pair(rule, "retransmitted", 100), pair(rule, "trip", 1),
                rule.path("reason").isNull() ? "-" : rule.path("reason").asText()));
        table.print(out);
    }

    private static String pair(JsonNode rule, String figure, double unit) {
        return one(rule.path("with"), figure, unit) + " / " + one(rule.path("without"), figure, unit);
    }

    private static String one(JsonNode side, String figure, double unit) {
        return side.path("legs").asInt() == 0 ? "-" : String.format(Locale.ROOT, "%.1f", side.path(figure).asDouble() * unit);
    }
}
