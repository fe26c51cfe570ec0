package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir node top}: the busiest streams, again and again. */
@Command(name = "top", mixinStandardHelpOptions = true, description = "The busiest streams of a node by their rate; ends with Ctrl-C.",
        footer = {"", "Examples:", "  tamanoir node top", "  tamanoir node top --count 1 --json"})
final class NodeTop extends NodeQuery {
    private static final String CLEAR = "\033[H\033[2J";

    @Option(names = "--interval", paramLabel = "SECONDS", defaultValue = "1", description = "Seconds between refreshes. Default: ${DEFAULT-VALUE}.")
    private int interval;

    @Option(names = "--count", paramLabel = "N", description = "Number of refreshes. Default: unlimited, 1 with --json.")
    private Integer count;

    @Override
    public Integer call() {
        if (isJson() && count == null) {
            count = 1;
        }
        if (interval < 1 || count != null && count < 1) {
            throw usage("--interval and --count are at least 1");
        }
        for (int look = 0; count == null || look < count; look++) {
            if (!isJson() && System.console() != null) {
                out().print(CLEAR);
            }
            if (isJson() && count > 1) {
                Json.line(out(), ask());
            } else {
                super.call();
            }
        }
        return ExitCode.DONE;
    }

    /** Rates need two looks at every stream. */
    @Override
    JsonNode ask() {
        Map<Long, Long> before = octetsByNumber(api().json("/streams"));
        try {
            Thread.sleep(interval * 1000L);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        JsonNode now = api().json("/streams");
        List<ObjectNode> rows = new ArrayList<>();
        for (JsonNode stream : now.path("streams")) {
            long number = stream.path("number").asLong();
            long moved = octets(stream) - before.getOrDefault(number, 0L);
            rows.add(((ObjectNode) stream.deepCopy()).put("bitsPerSecond", 8 * moved / interval));
        }
        rows.sort((one, other) -> Long.compare(other.path("bitsPerSecond").asLong(), one.path("bitsPerSecond").asLong()));
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.putArray("streams").addAll(rows);
        return answer;
    }

    private static Map<Long, Long> octetsByNumber(JsonNode answer) {
        Map<Long, Long> octets = new HashMap<>();
        answer.path("streams").forEach(stream -> octets.put(stream.path("number").asLong(), octets(stream)));
        return octets;
    }

    private static long octets(JsonNode stream) {
        return stream.path("bytesIn").asLong() + stream.path("bytesBack").asLong();
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        Table table = new Table("NO", "RATE", "FROM", "TO", "SERVICES", "IN", "BACK");
        for (JsonNode stream : answer.path("streams")) {
            List<String> services = new ArrayList<>();
            stream.path("services").forEach(name -> services.add(name.asText()));
            table.row(stream.path("number").asLong(), Units.bitRate(stream.path("bitsPerSecond").asDouble()), stream.path("source").asText(),
                    stream.path("destination").asText(), String.join(",", services), Units.bytes(stream.path("bytesIn").asDouble()),
                    Units.bytes(stream.path("bytesBack").asDouble()));
        }
        table.print(out);
    }
}
