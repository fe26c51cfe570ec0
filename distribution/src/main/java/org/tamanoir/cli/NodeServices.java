package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import picocli.CommandLine.Command;

/** {@code tamanoir node services}. */
@Command(name = "services", mixinStandardHelpOptions = true,
        description = "The services of a node: those that run, are on their way, or could not be had.",
        footer = {"", "Example:", "  tamanoir node services"})
final class NodeServices extends NodeQuery {
    @Override
    JsonNode ask() {
        return api().json("/services");
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        Table table = new Table("TYPE", "NAME", "VERSION", "LEVEL", "STATE", "SOURCE", "WAIT", "STREAMS", "PACKETS", "ERRORS", "REASON");
        for (JsonNode service : answer.path("services")) {
            table.row(text(service, "typeId"), text(service, "name"), text(service, "version"), text(service, "level"),
                    text(service, "state"), text(service, "source"), Units.millis(service.path("waitMillis").asLong()),
                    service.path("streams").asLong(), service.path("packets").asLong(), service.path("errors").asLong(),
                    text(service, "reason"));
        }
        table.print(out);
    }

    private static String text(JsonNode service, String name) {
        return service.path(name).isNull() ? "-" : service.path(name).asText();
    }
}
