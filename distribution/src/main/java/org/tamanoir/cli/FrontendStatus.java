package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tamanoir frontend status}: a table, once or again and again. */
@Command(name = "status", mixinStandardHelpOptions = true, description = "Show the pools of a front-end, their back ends, and recent events.",
        footer = {"", "Examples:", "  tamanoir frontend status", "  tamanoir frontend status --frontend http://10.0.0.1:3327 --watch",
            "  tamanoir frontend status --json"})
final class FrontendStatus implements Callable<Integer> {
    private static final String CLEAR = "\033[H\033[2J";
    private static final int EVENTS = 8;

    @Spec
    private CommandSpec spec;

    @Option(names = "--frontend", paramLabel = "URL", defaultValue = "http://127.0.0.1:3327", description = "The front-end. Default: ${DEFAULT-VALUE}.")
    private String url;

    @Option(names = "--watch", description = "Refresh until Ctrl-C, or until the front-end does not answer.")
    private boolean watch;

    @Option(names = "--interval", paramLabel = "SECONDS", defaultValue = "1", description = "Seconds between refreshes with --watch. Default: ${DEFAULT-VALUE}.")
    private int interval;

    @Option(names = "--json", description = "Print one JSON object; with --watch, one per line.")
    private boolean json;

    @Mixin
    private TokenOptions tokens;

    @Mixin
    private TlsOptions tls;

    @Override
    public Integer call() throws InterruptedException {
        if (interval < 1) {
            throw new ParameterException(spec.commandLine(), "--interval is at least 1");
        }
        HttpFetch api = tls.of(HttpFetch.of(url, ErrorCode.UNREACHABLE).token(tokens.token()));
        PrintWriter out = spec.commandLine().getOut();
        do {
            JsonNode status = api.json("/status");
            if (json && watch) {
                out.println(status);
            } else if (json) {
                Json.print(out, status);
            } else {
                out.print(watch && System.console() != null ? CLEAR : "");
                print(status, out);
            }
            out.flush();
            if (watch) {
                Thread.sleep(interval * 1000L);
            }
        } while (watch);
        return ExitCode.DONE;
    }

    private static void print(JsonNode status, PrintWriter out) {
        JsonNode director = status.path("director");
        out.printf("front-end %s, up %s%n", status.path("frontend").asText(), Units.millis(status.path("upMillis").asLong()));
        out.printf("director  %s (%s), %s%n", director.path("engine").asText(), director.path("why").asText(), director.path("role").asText());
        if (director.hasNonNull("problem")) {
            out.printf("problem   %s%n", director.path("problem").asText());
        }
        if (status.hasNonNull("configurationRefused")) {
            out.printf("problem   the changed file is refused and what was in force before stays: %s%n", status.path("configurationRefused").asText());
        }
        if (status.hasNonNull("upgrade")) {
            out.printf("upgrade   %s%n", status.path("upgrade").path("text").asText());
        }
        for (JsonNode pool : status.path("pools")) {
            pool(pool, out);
        }
        for (JsonNode refused : status.path("refused")) {
            out.printf("refused   %s: %s (%d times)%n", refused.path("backEnd").asText(), refused.path("text").asText(), refused.path("count").asLong());
        }
        JsonNode events = status.path("events");
        for (int i = Math.max(0, events.size() - EVENTS); i < events.size(); i++) {
            out.printf("%9s ago  %s %s%n", Units.millis(events.get(i).path("agoMillis").asLong()), events.get(i).path("backEnd").asText(),
                    events.get(i).path("text").asText());
        }
    }

    private static void pool(JsonNode pool, PrintWriter out) {
        StringBuilder addresses = new StringBuilder();
        pool.path("addresses").forEach(address -> addresses.append(addresses.length() == 0 ? "" : ", ").append(address.asText()));
        out.printf("%npool %s at %s port %d, %s, %s, affinity %s%n", pool.path("name").asText(), addresses, pool.path("port").asInt(),
                pool.path("method").asText().toLowerCase(Locale.ROOT), pool.path("scheduler").asText().toLowerCase(Locale.ROOT),
                pool.path("affinity").asText().toLowerCase(Locale.ROOT));
        Table table = new Table("BACK END", "ADDRESS", "STANDING", "WEIGHT", "CPU %", "STREAMS", "CONNECTIONS", "ACTIVE", "IN", "OUT", "IN/S", "OUT/S");
        for (JsonNode each : pool.path("backEnds")) {
            table.row(each.path("name").asText(), each.path("address").asText() + ":" + each.path("port").asInt(), each.path("standing").asText(),
                    each.hasNonNull("weight") ? each.path("weight").asInt() : null,
                    each.hasNonNull("load") ? Math.round(100 * each.path("load").path("cpu").asDouble()) : null,
                    each.hasNonNull("load") ? each.path("load").path("streams").asLong() : null, sum(each, "connections"), sum(each, "active"),
                    Units.bytes(sum(each, "inOctets")), Units.bytes(sum(each, "outOctets")), Units.bytes(sum(each, "inOctetRate")),
                    Units.bytes(sum(each, "outOctetRate")));
            if (each.hasNonNull("why")) {
                table.note("    " + each.path("why").asText());
            }
        }
        table.print(out);
        out.println();
    }

    private static long sum(JsonNode backEnd, String field) {
        long sum = 0;
        for (JsonNode virtual : backEnd.path("virtual")) {
            sum += virtual.path(field).asLong();
        }
        return sum;
    }
}
