package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;

/** Services of a node, for people: a row for each version, and below it what is wrong and what to do. Fits 120 columns as a rule. */
final class NodeServiceTable {
    private static final String INDENT = "        ";

    private final Table table = new Table("TYPE", "NAME", "VERSION", "STATE", "CURRENT", "STREAMS", "PACKETS", "ERRORS", "WAIT", "SOURCE",
            "PUBLISHER");

    /** @param service an entry of {@code /services} */
    void add(JsonNode service) {
        table.row(text(service, "typeId"), text(service, "name"), text(service, "version"), text(service, "state"),
                service.path("current").asBoolean() ? "yes" : "-", service.path("streams").asLong(), service.path("packets").asLong(),
                service.path("errors").asLong(), Units.millis(service.path("waitMillis").asLong()), text(service, "source"),
                text(service, "publisher"));
        if (service.hasNonNull("reason")) {
            table.note(INDENT + service.path("reason").asText());
        }
        if (service.hasNonNull("advice")) {
            table.note(INDENT + "do: " + service.path("advice").asText());
        }
    }

    void print(PrintWriter out) {
        table.print(out);
    }

    private static String text(JsonNode service, String name) {
        return service.hasNonNull(name) ? service.path(name).asText() : "-";
    }
}
