package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir node rules}. */
@Command(name = "rules", mixinStandardHelpOptions = true,
        description = "Show the light rules of a node in the order in which they are tried: where each runs, and its counters.",
        footer = {"", "Examples:", "  tamanoir node rules --node http://127.0.0.1:3380", "  tamanoir node rules --put rules.yaml"})
final class NodeRules extends NodeChange {
    private static final int NAMED = 5;

    @Option(names = "--put", paramLabel = "FILE",
            description = "Replace the operator's rules with those of a YAML file (a list, as under rules: in the configuration), until the next reload or "
                    + "restart.")
    private Path file;

    @Override
    JsonNode ask() {
        return file == null ? api().json("/rules") : asRead("/rules").putJson("/rules", Map.of("rules", read(file)));
    }

    private static List<?> read(Path file) {
        try {
            return new YAMLMapper().readValue(file.toFile(), List.class);
        } catch (IOException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, file + " is no list of rules: " + AnepException.reason(e), e);
        }
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        table(answer.path("rules"), out);
    }

    static void table(JsonNode rules, PrintWriter out) {
        Table table = new Table("RULE", "MATCH", "ACTIONS", "RUNS", "PACKETS", "OCTETS", "GREEN", "YELLOW", "RED", "DROPPED", "FORWARDED");
        for (JsonNode rule : rules) {
            table.row(rule.path("owner").asText() + "/" + rule.path("name").asText(), rule.path("match").asText(), StreamSupport
                            .stream(rule.path("actions").spliterator(), false).map(JsonNode::asText).collect(Collectors.joining("; ")),
                    rule.path("runs").asText(), rule.path("packets").asLong(), rule.path("octets").asLong(), rule.path("green").asLong(),
                    rule.path("yellow").asLong(), rule.path("red").asLong(), rule.path("dropped").asLong(), rule.path("forwarded").asLong());
        }
        table.print(out);
        Map<String, List<String>> elsewhere = new LinkedHashMap<>();
        for (JsonNode rule : rules) {
            if (!rule.path("runs").asText().equals("kernel")) {
                elsewhere.computeIfAbsent(rule.path("because").asText(), unused -> new ArrayList<>())
                        .add(rule.path("owner").asText() + "/" + rule.path("name").asText());
            }
        }
        elsewhere.forEach((because, names) -> out.printf("not in the kernel: %s: %s%n", names.size() > NAMED ? names.size() + " rules"
                : String.join(", ", names), because));
    }
}
