package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.util.NetUtil;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tamanoir cache}: what a node keeps of origins. */
@Command(name = "cache", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = "Show and change the contents of a node's web cache (service 'cache').",
        subcommands = {CacheCommand.Show.class, CacheCommand.Why.class, CacheCommand.Purge.class, CacheCommand.Warm.class},
        footer = {"", "Examples:", "  tamanoir cache list", "  tamanoir cache why http://data.example.org/run-7/events.root",
            "  tamanoir cache purge --prefix http://data.example.org/run-7/"})
final class CacheCommand {
    /** {@code tamanoir cache list}. */
    @Command(name = "list", mixinStandardHelpOptions = true, description = "List the objects that are kept or being fetched, largest first.",
            footer = {"", "Examples:", "  tamanoir cache list", "  tamanoir cache list http://data.example.org/run-7/ --node http://node.site-a:3380"})
    static final class Show extends NodeQuery {
        @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "Only URLs with this prefix. Default: all.")
        private String prefix;

        @Override
        JsonNode ask() {
            return api().json("/services/cache/inspect/list?url=" + HttpFetch.segment(prefix == null ? "" : prefix));
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            out.printf("objects: %d, %s%n", answer.path("objects").asLong(), Units.bytes(answer.path("kept").asLong()));
            table(answer.path("list"), out);
        }
    }

    private static void table(JsonNode objects, PrintWriter out) {
        Table table = new Table("SIZE", "KEPT", "AGE", "FRESH", "READS", "STATE", "URL");
        for (JsonNode each : objects) {
            long length = each.path("octets").asLong();
            table.row(length < 0 ? "-" : Units.bytes(length), Units.bytes(each.path("kept").asLong()), each.path("ageSeconds").asLong() + " s",
                    each.path("fresh").asBoolean() ? each.path("freshSeconds").asLong() + " s" : "no", each.path("reads").asLong(), state(each), each.path("url").asText());
        }
        table.print(out);
    }

    private static String state(JsonNode object) {
        return object.path("filling").asBoolean() ? "filling" : object.path("pinned").asBoolean() ? "pinned" : object.path("asksOrigin").asBoolean() ? "asks" : "kept";
    }

    /** {@code tamanoir cache why}. */
    @Command(name = "why", mixinStandardHelpOptions = true,
            description = {"Show what is kept of a URL and how long it stays fresh, or why its last answer was not kept.", "",
                "STATE: kept, filling (the origin is sending it), pinned (never evicted), asks (the origin must permit each use)."},
            footer = {"", "Example:", "  tamanoir cache why http://data.example.org/run-7/events.root"})
    static final class Why extends NodeQuery {
        @Parameters(paramLabel = "URL", description = "The URL as programs request it: http://HOST[:PORT]/PATH.")
        private String url;

        @Override
        JsonNode ask() {
            return api().json("/services/cache/inspect/why?url=" + HttpFetch.segment(url));
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            if (answer.path("kept").isEmpty() && answer.path("notKept").isEmpty()) {
                out.println("nothing is kept, and nobody has asked for it lately");
            }
            if (!answer.path("kept").isEmpty()) {
                table(answer.path("kept"), out);
            }
            answer.path("notKept").forEach(each -> out.printf("last not kept from %s: %s (%s)%n", each.path("origin").asText(), each.path("says").asText(),
                    each.path("reason").asText()));
        }
    }

    /** {@code tamanoir cache purge}. */
    @Command(name = "purge", mixinStandardHelpOptions = true,
            description = "Delete what is kept of a URL. Programs that are reading it get the rest; the next request fetches it again.",
            footer = {"", "Examples:", "  tamanoir cache purge http://data.example.org/run-7/events.root", "  tamanoir cache purge --prefix http://data.example.org/"})
    static final class Purge extends NodeQuery {
        @Option(names = "--prefix", description = "Delete everything with this URL prefix.")
        private boolean prefix;

        @Parameters(paramLabel = "URL", description = "The URL as programs request it: http://HOST[:PORT]/PATH.")
        private String url;

        @Override
        JsonNode ask() {
            return api().post("/services/cache/commands/purge", Map.of("url", url, "prefix", Boolean.toString(prefix)));
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            out.printf("purged: %d objects%n", answer.path("purged").asLong());
        }
    }

    /** {@code tamanoir cache warm}. */
    @Command(name = "warm", mixinStandardHelpOptions = true,
            description = {"Have the node fetch a URL before anyone asks for it. Returns as soon as the fetch has started; 'cache list' shows its progress.", "",
                "The policy of the service must let it reach the origin: policies: {cache: {reaches: [10.0.2.9]}}."},
            footer = {"", "Examples:", "  tamanoir cache warm http://10.0.2.9/run-7/events.root",
                "  tamanoir cache warm --origin 10.0.2.9:80 http://data.example.org/run-7/events.root"})
    static final class Warm extends NodeQuery {
        private static final int HTTP = 80;

        @Option(names = "--origin", paramLabel = "HOST:PORT", description = "The address that programs use for it. Default: the host and port of the URL.")
        private String origin;

        @Parameters(paramLabel = "URL", description = "The URL as programs request it: http://HOST[:PORT]/PATH.")
        private URI url;

        @Override
        JsonNode ask() {
            return api().post("/services/cache/commands/warm", Map.of("url", url.toString(), "origin", address()));
        }

        private String address() {
            URI at = origin == null ? url : URI.create("http://" + origin);
            InetSocketAddress found = new InetSocketAddress(at.getHost() == null ? "" : at.getHost(), at.getPort() < 0 ? HTTP : at.getPort());
            if (at.getHost() == null || found.isUnresolved()) {
                throw new AnepException(ErrorCode.BAD_REQUEST, "no address is known for " + at);
            }
            return NetUtil.toSocketAddressString(found);
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            out.printf("fetching %s from %s%n", answer.path("warms").asText(), answer.path("origin").asText());
        }
    }
}
