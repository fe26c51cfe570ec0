package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tamanoir node streams}. */
@Command(name = "streams", mixinStandardHelpOptions = true, description = "The streams of a node, or one with what its services say of it.",
        footer = {"", "Examples:", "  tamanoir node streams", "  tamanoir node streams --ended", "  tamanoir node streams 7 --json"})
final class NodeStreams extends NodeQuery {
    @Option(names = "--ended", description = "Those that ended lately, newest first.")
    private boolean ended;

    @Parameters(arity = "0..1", paramLabel = "NUMBER", description = "One stream, by the node's number for it.")
    private Long number;

    @Override
    JsonNode ask() {
        return api().json(number != null ? "/streams/" + number : ended ? "/streams?ended" : "/streams");
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        if (number != null) {
            answer.properties().forEach(entry -> out.printf("%-14s %s%n", entry.getKey(), plain(entry.getValue())));
            return;
        }
        Table table = new Table("NO", "TRANSPORT", "STATE", "POSITION", "FROM", "TO", "NEXT", "SERVICES", "IN", "OUT", "BACK", "WAIT", "AGE", "REASON");
        for (JsonNode stream : answer.path("streams")) {
            table.row(stream.path("number").asLong(), stream.path("transport").asText(), stream.path("state").asText(),
                    plain(stream.path("position")), stream.path("source").asText(), plain(stream.path("destination")),
                    plain(stream.path("next")), services(stream), Units.bytes(stream.path("bytesIn").asDouble()),
                    Units.bytes(stream.path("bytesOut").asDouble()), Units.bytes(stream.path("bytesBack").asDouble()),
                    Units.millis(stream.path("waitMillis").asLong()), Units.millis(stream.path("ageMillis").asLong()),
                    plain(stream.path("reason")));
        }
        table.print(out);
    }

    private static String services(JsonNode stream) {
        List<String> names = new ArrayList<>();
        stream.path("services").forEach(name -> names.add(name.asText()));
        return String.join(",", names);
    }

    private static String plain(JsonNode value) {
        return value.isNull() || value.isMissingNode() ? "-" : value.isTextual() ? value.asText() : value.toString();
    }
}
