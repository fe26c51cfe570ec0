package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir node events}. */
@Command(name = "events", mixinStandardHelpOptions = true,
        description = {"Show the last 512 events of a node: streams refused or failed and why, services loaded and failed, next hops lost and found.",
            "With --follow, continue with new events until the node ends or Ctrl-C; with --json one object per line."},
        footer = {"", "Examples:", "  tamanoir node events", "  tamanoir node events --follow"})
final class NodeEventLog extends NodeQuery {
    private static final int PERIOD_MILLIS = 500;

    @Option(names = "--after", paramLabel = "N", defaultValue = "0", description = "Only events after this number: 'last' in an earlier answer with --json. Default: ${DEFAULT-VALUE}, all.")
    private long after;

    @Option(names = "--follow", description = "Print events as they happen.")
    private boolean follow;

    @Override
    JsonNode ask() {
        return api().json("/events/since/" + after);
    }

    @Override
    public Integer call() {
        if (!follow) {
            return super.call();
        }
        try {
            // A pipe whose other end is closed is the end, not an error.
            while (!out().checkError()) {
                JsonNode answer = ask();
                if (isJson()) {
                    answer.path("events").forEach(event -> Json.line(out(), event));
                } else {
                    print(answer, out());
                }
                after = answer.path("last").asLong();
                Thread.sleep(PERIOD_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ExitCode.DONE;
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        if (answer.path("missed").asLong() > 0) {
            out.println(answer.path("missed").asLong() + " events are forgotten");
        }
        answer.path("events").forEach(event -> out.printf("%s  %-7s  %s%n", time(event.path("time").asText()), event.path("kind").asText(), event.path("text").asText()));
    }

    /** UTC, as in other tables: the node may print it, and be in another zone than its operator. */
    private static String time(String time) {
        try {
            return Instant.parse(time).truncatedTo(ChronoUnit.SECONDS).toString();
        } catch (DateTimeParseException e) {
            return time;
        }
    }
}
