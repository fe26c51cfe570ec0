package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code tamanoir node reload}. */
@Command(name = "reload", mixinStandardHelpOptions = true,
        description = {"Have a node read its configuration file now.",
            "A node does so by itself when the file changes. What the admin API has changed gives way to the file, and is named."},
        footer = {"", "Example:", "  tamanoir node reload"})
final class NodeReload extends NodeQuery {
    @Override
    JsonNode ask() {
        return patientApi().post("/reload", Map.of());
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        out.println("The file is in force.");
        answer.path("overridden").forEach(each -> out.println("overridden: " + each.asText()));
    }
}
