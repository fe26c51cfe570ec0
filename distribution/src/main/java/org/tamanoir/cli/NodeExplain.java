package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir node explain}. */
@Command(name = "explain", mixinStandardHelpOptions = true, description = "Which level runs a service, and why.",
        footer = {"", "Example:", "  tamanoir node explain --type-id 0x5403"})
final class NodeExplain extends NodeQuery {
    @Option(names = "--type-id", required = true, paramLabel = "N", description = "Type ID of the service, such as 0x5402.")
    private String typeId;

    @Override
    JsonNode ask() {
        return api().json("/explain/" + HttpFetch.segment(typeId));
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        out.printf("%s (%s) runs on %s: %s%n", answer.path("name").asText(), answer.path("typeId").asText(), answer.path("runs").asText(),
                answer.path("because").asText());
    }
}
