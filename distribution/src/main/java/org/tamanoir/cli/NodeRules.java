package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Command;

/** {@code tamanoir node rules}. */
@Command(name = "rules", mixinStandardHelpOptions = true,
        description = "The light rules of a node in the order in which they are asked: where each runs, and what it has seen.",
        footer = {"", "Example:", "  tamanoir node rules --node http://127.0.0.1:3380"})
final class NodeRules extends NodeQuery {
    @Override
    JsonNode ask() {
        return api().json("/rules");
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        table(answer.path("rules"), out);
    }

    static void table(JsonNode rules, PrintWriter out) {
        Table table = new Table("RULE", "MATCH", "ACTIONS", "RUNS", "PACKETS", "OCTETS", "GREEN", "YELLOW", "RED", "DROPPED", "FORWARDED");
        for (JsonNode rule : rules) {
            table.row(rule.path("owner").asText() + "/" + rule.path("name").asText(), rule.path("match").asText(), StreamSupport
                            .stream(rule.path("actions").spliterator(), false).map(JsonNode::asText).collect(Collectors.joining("; ")),
                    rule.path("runs").asText(), rule.path("packets").asLong(), rule.path("octets").asLong(), rule.path("green").asLong(),
                    rule.path("yellow").asLong(), rule.path("red").asLong(), rule.path("dropped").asLong(), rule.path("forwarded").asLong());
        }
        table.print(out);
        for (JsonNode rule : rules) {
            if (!rule.path("runs").asText().equals("kernel")) {
                out.printf("%s/%s not in the kernel: %s%n", rule.path("owner").asText(), rule.path("name").asText(),
                        rule.path("because").asText());
            }
        }
    }
}
