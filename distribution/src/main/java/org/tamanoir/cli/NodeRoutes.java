package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code tamanoir node routes}. */
@Command(name = "routes", mixinStandardHelpOptions = true, description = "The routes of a node, longest prefix first, and the pools to which it hands streams over.",
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
        if (!answer.path("pools").isEmpty()) {
            out.println();
            Table pools = new Table("POOL", "LEVEL", "SERVICES", "STREAMS");
            answer.path("pools").forEach(pool -> pools.row(pool.path("to").asText(), pool.path("level").asText("-"), services(pool), pool.path("streams").asLong()));
            pools.print(out);
        }
    }

    private static String services(JsonNode pool) {
        List<String> names = new ArrayList<>();
        pool.path("services").forEach(name -> names.add(name.asText()));
        return names.isEmpty() ? "-" : String.join(",", names);
    }
}
