package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.ServiceName;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir node explain}. */
@Command(name = "explain", mixinStandardHelpOptions = true,
        description = {"Explain which level runs a service or a stream (the kernel, the event loop, its own threads), and why not a lower one.", "",
            "With --to, say whether the access policy would allow a stream, and by which line."},
        footer = {"", "Examples:", "  tamanoir node explain --type-id 0x5401", "  tamanoir node explain --type-id monitoring", "  tamanoir node explain --stream 12",
            "  tamanoir node explain --to 10.2.0.1:5000 --service monitoring --from 192.0.2.7 --bearer-token ada.jwt"})
final class NodeExplain extends NodeQuery {
    @ArgGroup(multiplicity = "1")
    private Subject subject;

    private static final class Subject {
        @Option(names = "--type-id", required = true, paramLabel = "N|NAME", description = "Type ID of the service, such as 0x5402, or its name.")
        private String typeId;

        @Option(names = "--stream", required = true, paramLabel = "ID", description = "Number of an open stream, as shown by 'node streams'.")
        private String stream;

        @ArgGroup(exclusive = false)
        private Wish wish;
    }

    /** A stream that somebody would like to open. */
    private static final class Wish {
        @Option(names = "--to", required = true, paramLabel = "HOST:PORT", description = "Destination of a stream to be opened.")
        private String to;

        @Option(names = "--service", required = true, split = ",", paramLabel = "NAME", description = "Services of that stream.")
        private List<String> services;

        @Option(names = "--from", paramLabel = "ADDRESS", description = "Source address of that stream. Default: 127.0.0.1.")
        private String from;

        @Option(names = "--name", paramLabel = "NAME", description = "SPIFFE ID in the certificate that it would present. Can be given several times.")
        private List<String> names;

        @Option(names = "--bearer-token", paramLabel = "FILE", description = "File with the token that it would present.")
        private Path token;

        private Map<String, Object> text() {
            Map<String, Object> text = new LinkedHashMap<>();
            text.put("to", to);
            text.put("services", services);
            text.put("from", from);
            text.put("names", names);
            text.put("token", token == null ? null : TokenOptions.read(token));
            return text;
        }
    }

    @Override
    JsonNode ask() {
        if (subject.wish != null) {
            return api().post("/explain/access", subject.wish.text());
        }
        return api().json(subject.typeId != null ? "/explain/" + HttpFetch.segment(ServiceName.segment(subject.typeId))
                : "/explain/stream/" + HttpFetch.segment(subject.stream));
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        if (answer.has("decision")) {
            out.printf("%s: %s%n", answer.path("decision").asText(), answer.path("because").asText());
            if (answer.hasNonNull("identity")) {
                out.printf("counts as %s, which has %s streams open under this rule%n", answer.path("identity").asText(), answer.path("streams").asText());
            }
            return;
        }
        String what = answer.has("stream") ? "stream " + answer.path("stream").asText()
                : (answer.hasNonNull("name") ? answer.path("name").asText() + " (" + answer.path("typeId").asText() + ")"
                        : answer.path("typeId").asText());
        out.printf("%s runs on level %s: %s%n", what, answer.path("runs").asText(), answer.path("because").asText());
        if (answer.hasNonNull("identity")) {
            out.printf("permitted to %s by %s%n", answer.path("identity").asText(), answer.path("permittedBy").asText());
        }
        answer.path("notLower").properties().forEach(entry -> out.printf("not on %s: %s%n", entry.getKey(), entry.getValue().asText()));
        if (!answer.path("rules").isEmpty()) {
            out.println();
            NodeRules.table(answer.path("rules"), out);
        }
    }
}
