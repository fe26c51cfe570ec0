package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import org.tamanoir.cli.fleet.FleetText;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir fleet status}. */
@Command(name = "status", mixinStandardHelpOptions = true,
        description = {"Show the newest generation, the progress of its roll-out, and the state of each node.",
            "With --node, show one node: what it should have, what it has, and for each key where they differ and why."},
        footer = {"", "Examples:", "  tamanoir fleet status --repository http://repository.example:3325", "  tamanoir fleet status --node edge-07", "", "Exit codes: " + ExitCode.EXPLAINED})
final class FleetStatus extends FleetCommand.Asking {
    private static final Map<String, String> WORDS = Map.of("HAS", "has it", "UNHEALTHY", "unhealthy", "WAITS", "has not said yet", "REFUSES", "refuses it", "SILENT", "silent",
            "NEW", "its ring comes later", "NEVER", "never heard of");

    /** One or the other. */
    static final class What {
        @Option(names = "--node", paramLabel = "NAME", description = "Show one node.")
        private String node;
        @Option(names = "--generations", description = "List the generations that are kept, newest first.")
        private boolean generations;
    }

    @ArgGroup
    private What what = new What();

    @Override
    public Integer call() {
        HttpFetch server = server();
        JsonNode answer = server.json(what.generations ? "/fleet/generations" : what.node == null ? "/fleet/status" : "/fleet/status/" + HttpFetch.segment(what.node));
        PrintWriter out = out();
        if (isJson()) {
            Json.print(out, answer);
        } else if (what.generations) {
            generations(answer, out);
        } else if (what.node == null) {
            all(answer, out);
        } else {
            one(answer, out);
        }
        out.flush();
        return ExitCode.DONE;
    }

    private static void generations(JsonNode answer, PrintWriter out) {
        Table table = new Table("GENERATION", "WHEN", "WHO", "WHY");
        answer.path("generations").forEach(each -> table.row(each.path("number").asText(), each.path("when").asText(), each.path("who").asText(),
                each.path("why").asText().isEmpty() ? "-" : each.path("why").asText()));
        table.print(out);
    }

    private static void all(JsonNode status, PrintWriter out) {
        JsonNode newest = status.path("generation");
        if (!newest.isObject()) {
            out.println("nothing was applied yet: 'tamanoir fleet apply DIR'");
            return;
        }
        long number = newest.path("number").asLong();
        out.println("generation " + number + " of " + newest.path("who").asText() + ", " + newest.path("when").asText() + (newest.path("why").asText().isEmpty() ? "" : ": " + newest.path("why").asText()));
        out.println(FleetText.rollout(status.path("rollout")));
        out.println();
        Table rings = new Table("RING", "NODES", "HAVE " + number, "HEALTHY");
        status.path("rings").forEach(each -> rings.row(each.path("name").asText(), each.path("nodes").asInt(), each.path("have").asInt(), each.path("healthy").asInt()));
        rings.print(out);
        out.println();
        Table nodes = new Table("NODE", "RING", "TO HAVE", "HAS", "STATE", "HEALTH", "HEARD", "DRIFT", "RESTART");
        for (JsonNode each : status.path("nodes")) {
            boolean heard = each.hasNonNull("heardMillis");
            nodes.row(each.path("name").asText(), each.path("ring").asText(), generation(each.path("wants")), generation(each.path("has")), word(each),
                    heard ? each.path("health").asText() : "-", heard ? Units.millis(each.path("heardMillis").asLong()) + " ago" : "-", heard && each.path("drift").asInt() > 0 ? each.path("drift").asText() : "-",
                    heard && each.path("restart").asInt() > 0 ? "needed" : "-");
            if (each.hasNonNull("why")) {
                nodes.note("  " + each.path("why").asText());
            }
        }
        nodes.print(out);
    }

    private static String generation(JsonNode number) {
        return number.asLong() == 0 ? "-" : number.asText();
    }

    private static String word(JsonNode node) {
        String state = node.path("state").asText();
        return WORDS.getOrDefault(state, state.toLowerCase(Locale.ROOT));
    }

    private static void one(JsonNode node, PrintWriter out) {
        out.println(node.path("name").asText() + " in ring " + node.path("ring").asText() + (node.path("labels").isEmpty() ? "" : ", labels "
                + String.join(" ", node.path("labels").valueStream().map(JsonNode::asText).toList())));
        out.println("proves itself by " + (node.hasNonNull("identity") ? "the certificate of " + node.path("identity").asText() : node.path("token").asBoolean() ? "a token" : "being on the server's machine"));
        out.println("is to have generation " + generation(node.path("wants")) + ", has " + generation(node.path("has")) + ": " + word(node) + (node.hasNonNull("why") ? ": " + node.path("why").asText() : ""));
        JsonNode report = node.path("report");
        if (!report.isObject()) {
            return;
        }
        JsonNode health = report.path("health");
        out.println("heard " + Units.millis(node.path("heardMillis").asLong()) + " ago, program " + report.path("version").asText("-") + ", " + health.path("status").asText() + ", "
                + health.path("failed").asLong() + " of " + health.path("streams").asLong() + " streams failed since");
        health.path("problems").forEach(each -> out.println("  " + each.asText()));
        if (!report.path("restart").isEmpty()) {
            out.println("takes effect when it is started again: " + String.join(", ", report.path("restart").valueStream().map(JsonNode::asText).toList()));
        }
        if (report.path("drift").isEmpty()) {
            out.println("is as its fleet says, key by key");
            return;
        }
        out.println();
        Table drift = new Table("KEY", "FLEET", "NODE", "BECAUSE");
        report.path("drift").forEach(each -> drift.row(each.path("key").asText(), each.hasNonNull("fleet") ? each.path("fleet").asText() : "-", each.hasNonNull("node") ? each.path("node").asText() : "-",
                each.path("by").asText().equals("file") ? "its own file says so" : "changed by its admin API, until it reads its file or gets another part"));
        drift.print(out);
    }
}
