package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir node explain}. */
@Command(name = "explain", mixinStandardHelpOptions = true,
        description = "Which level runs a service or a stream (the kernel, the event loop, threads of its own), and why not a lower one.",
        footer = {"", "Examples:", "  tamanoir node explain --type-id 0x5401", "  tamanoir node explain --type-id monitoring", "  tamanoir node explain --stream 12"})
final class NodeExplain extends NodeQuery {
    @ArgGroup(multiplicity = "1")
    private Subject subject;

    private static final class Subject {
        @Option(names = "--type-id", required = true, paramLabel = "N|NAME", description = "Type ID of the service, such as 0x5402, or its name.")
        private String typeId;

        @Option(names = "--stream", required = true, paramLabel = "ID", description = "Number of an open stream, as node streams has it.")
        private String stream;
    }

    @Override
    JsonNode ask() {
        return api().json(subject.typeId != null ? "/explain/" + HttpFetch.segment(subject.typeId)
                : "/explain/stream/" + HttpFetch.segment(subject.stream));
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        String what = answer.has("stream") ? "stream " + answer.path("stream").asText()
                : (answer.hasNonNull("name") ? answer.path("name").asText() + " (" + answer.path("typeId").asText() + ")"
                        : answer.path("typeId").asText());
        out.printf("%s runs on level %s: %s%n", what, answer.path("runs").asText(), answer.path("because").asText());
        answer.path("notLower").properties().forEach(entry -> out.printf("not on %s: %s%n", entry.getKey(), entry.getValue().asText()));
        if (!answer.path("rules").isEmpty()) {
            out.println();
            NodeRules.table(answer.path("rules"), out);
        }
    }
}
