package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir node top}: the busiest streams, again and again. */
@Command(name = "top", mixinStandardHelpOptions = true, description = {"Show the busiest streams of a node, and which of them are made to wait, until Ctrl-C.", "The console shows the same figures on a page."},
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
            if (look > 0) {
                pause();
            }
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

    /** What the console shows of the streams: those that carry most, with their rates of the last half second. */
    @Override
    JsonNode ask() {
        List<JsonNode> streams = new ArrayList<>();
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        api().json("/console/state").path("all").properties().forEach(entry -> {
            if (entry.getKey().startsWith("stream/") && !entry.getValue().path("state").asText().equals("ended")) {
                streams.add(entry.getValue());
            } else if (entry.getKey().startsWith("node/")) {
                answer.put("open", entry.getValue().path("streams").asLong());
            }
        });
        streams.sort(Comparator.comparingLong(stream -> -rate(stream)));
        answer.putArray("streams").addAll(streams);
        return answer;
    }

    private void pause() {
        try {
            Thread.sleep(interval * 1000L);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long rate(JsonNode stream) {
        return stream.path("rate").asLong() + stream.path("rateBack").asLong();
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        Table table = new Table("NO", "RATE", "BACK", "FROM", "TO", "SERVICES", "CARRIED", "WAITS");
        for (JsonNode stream : answer.path("streams")) {
            List<String> services = new ArrayList<>();
            stream.path("services").forEach(name -> services.add(name.asText()));
            long waits = Math.max(stream.path("waits").asLong(), stream.path("waitsBack").asLong());
            table.row(stream.path("number").asLong(), Units.bitRate(stream.path("rate").asDouble()), Units.bitRate(stream.path("rateBack").asDouble()), stream.path("from").asText(),
                    stream.path("to").asText(), String.join(",", services), Units.bytes(stream.path("in").asDouble() + stream.path("back").asDouble()), waits == 0 ? "-" : waits + " %");
        }
        table.print(out);
        int told = answer.path("streams").size();
        if (told < answer.path("open").asLong()) {
            out.println(told + " of " + answer.path("open").asLong() + " streams, those that carry most");
        }
    }
}
