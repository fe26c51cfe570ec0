package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code tamanoir node links}. */
@Command(name = "links", mixinStandardHelpOptions = true,
        description = "What is next to a node, and what its services say that speak with it.",
        footer = {"", "Examples:", "  tamanoir node links", "  tamanoir node links --json"})
final class NodeLinks extends NodeQuery {
    @Override
    JsonNode ask() {
        return api().json("/links");
    }

    @Override
    void print(JsonNode links, PrintWriter out) {
        out.printf("neighbours  %s%n", list(links.path("neighbours")));
        out.printf("members     %s%n", list(links.path("members")));
        out.printf("groups      %s%n", links.hasNonNull("hears") ? list(links.path("groups")) + " on " + links.path("hears").asText()
                + ", " + links.path("ttl").asInt() + " hops" : "no interface for them");
        out.printf("datagrams   %d in, %s; %d out, %s%n", links.path("packetsIn").asLong(), Units.bytes(links.path("bytesIn").asDouble()),
                links.path("packetsOut").asLong(), Units.bytes(links.path("bytesOut").asDouble()));
        links.path("dropped").properties().forEach(entry -> out.printf("dropped     %s: %d%n", entry.getKey(), entry.getValue().asLong()));
        Table table = new Table("SERVICE", "VERSION", "LOOP", "REPORT");
        for (JsonNode handler : links.path("handlers")) {
            table.row(handler.path("name").asText(), handler.path("version").asText(), handler.path("loop").asInt(),
                    handler.path("report").toString());
        }
        table.print(out);
    }

    private static String list(JsonNode names) {
        List<String> all = new ArrayList<>();
        names.forEach(name -> all.add(name.asText()));
        return all.isEmpty() ? "none" : String.join(", ", all);
    }
}
