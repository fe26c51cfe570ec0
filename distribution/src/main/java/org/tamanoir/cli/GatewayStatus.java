package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir gateway-status}: what a gateway or an endpoint is doing. */
@Command(name = "gateway-status", mixinStandardHelpOptions = true, versionProvider = Version.class, description = {"Show what a gateway or endpoint has done, its latest failures, and its open connections, the oldest 200.", "",
    "BY is the node through which a connection goes."},
        footer = {"", "Example:", "  tamanoir gateway-status 127.0.0.1:8081", "", "Exit codes: " + ExitCode.EXPLAINED})
final class GatewayStatus implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "HOST:PORT", description = "The address that it was given as --status.")
    private String at;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        JsonNode status = HttpFetch.of(at, ErrorCode.UNREACHABLE).json("/status");
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json.print(out, status);
        } else {
            print(status, out);
            out.flush();
        }
        return ExitCode.DONE;
    }

    private static void print(JsonNode status, PrintWriter out) {
        StringJoiner services = new StringJoiner(", ");
        status.path("services").forEach(service -> services.add(service.asText()));
        out.printf("%s %s%s%n", status.path("who").asText(), status.path("listen").asText(), services.length() == 0 ? "" : ", by " + services);
        out.printf("connections   %d open of %d; %d failed, %d refused, %d given up by their programs%n", status.path("open").asLong(), status.path("connections").asLong(),
                status.path("broken").asLong(), status.path("refused").asLong(), status.path("givenUpByPrograms").asLong());
        out.printf("octets        %s to nodes, %s to programs%n", Units.bytes(status.path("octetsToNode").asLong()), Units.bytes(status.path("octetsToProgram").asLong()));
        if (status.hasNonNull("sessions")) {
            out.printf("sessions      %d open; %d times by another chain of nodes, %s without one%n", status.path("sessions").asLong(), status.path("resumptions").asLong(),
                    Units.millis(status.path("stalledMillis").asLong()));
        }
        if (status.hasNonNull("lastFailure")) {
            out.printf("last failure  %s ago%s: %s%n", Units.millis(Duration.between(Instant.parse(status.path("lastFailureAt").asText()), Instant.now()).toMillis()),
                    status.hasNonNull("lastFailureOf") ? ", of " + status.path("lastFailureOf").asText() : "", status.path("lastFailure").asText());
        }
        JsonNode open = status.path("openConnections");
        if (open.isEmpty()) {
            return;
        }
        Table table = new Table("FROM", "TO", "BY", "STATE", "AGE", "OUT", "BACK");
        for (JsonNode each : open) {
            table.row(each.path("from").asText(null), each.path("to").asText(null), each.path("by").asText(null), each.path("state").asText(),
                    Units.millis(each.path("ageMillis").asLong()), Units.bytes(each.path("octetsToNode").asLong()), Units.bytes(each.path("octetsToProgram").asLong()));
        }
        out.println();
        table.print(out);
        long more = status.path("open").asLong() - open.size();
        if (more > 0) {
            out.printf("and %d more%n", more);
        }
    }
}
