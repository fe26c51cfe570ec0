package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import picocli.CommandLine.Command;

/** {@code tamanoir node pins}. */
@Command(name = "pins", mixinStandardHelpOptions = true, description = "Which versions of services are held for streams to which destinations.",
        footer = {"", "Example:", "  tamanoir node pins"})
final class NodePins extends NodeQuery {
    @Override
    JsonNode ask() {
        return api().json("/pins");
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        table(answer, out);
    }

    /** @param answer what a node says of its pins */
    static void table(JsonNode answer, PrintWriter out) {
        Table table = new Table("PREFIX", "SERVICE", "VERSION");
        answer.path("pins").forEach(pin -> table.row(pin.path("prefix").asText(), pin.path("service").asText(), pin.path("version").asText()));
        table.print(out);
    }
}
