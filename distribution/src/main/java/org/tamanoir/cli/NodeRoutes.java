package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import picocli.CommandLine.Command;

/** {@code tamanoir node routes}. */
@Command(name = "routes", mixinStandardHelpOptions = true, description = "The routes of a node, longest prefix first.",
        footer = {"", "Example:", "  tamanoir node routes"})
final class NodeRoutes extends NodeQuery {
    @Override
    JsonNode ask() {
        return api().json("/routes");
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        Table table = new Table("PREFIX", "TARGET");
        answer.path("routes").properties().forEach(route -> table.row(route.getKey(), route.getValue().asText()));
        table.print(out);
    }
}
