package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tamanoir node}: runs a node, and asks one. */
@Command(name = "node", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = "Run an active node, or query and change a running one.",
        subcommands = {NodeRun.class, NodeStatus.class, NodeEventLog.class, NodeTop.class, NodeCommand.Streams.class, NodeCommand.Links.class, NodeRoutes.class, NodeCommand.Services.class,
            NodeCommand.Pins.class,
            NodeCommand.Pin.class, NodeCommand.Unpin.class, NodeRules.class, NodeTuning.class, NodeCommand.Reload.class, NodeExplain.class, NodeCommand.Access.class},
        footer = {"", "Example:", "  tamanoir node run --listen 127.0.0.1:3322 --repository http://127.0.0.1:3325"})
final class NodeCommand {

    /** {@code tamanoir node reload}. */
    @Command(name = "reload", mixinStandardHelpOptions = true,
            description = {"Make a node read its configuration file now.",
                "A node does so on its own when the file changes. The file overrides what was changed through the admin API, and the command lists it."},
            footer = {"", "Example:", "  tamanoir node reload"})
    static final class Reload extends NodeQuery {
        @Override
        JsonNode ask() {
            return patientApi().post("/reload", Map.of());
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            out.println("The file is in force.");
            answer.path("overridden").forEach(each -> out.println("overridden: " + each.asText()));
        }
    }

    /** {@code tamanoir node unpin}. */
    @Command(name = "unpin", mixinStandardHelpOptions = true, description = "Remove a pin: new streams get the current version again.",
            footer = {"", "Example:", "  tamanoir node unpin 198.51.100.0/24 compression"})
    static final class Unpin extends NodeChange {
        @Parameters(index = "0", paramLabel = "PREFIX", description = "The prefix that was pinned.")
        private String prefix;
        @Parameters(index = "1", paramLabel = "SERVICE", description = "The name of the service.")
        private String service;

        @Override
        JsonNode ask() {
            return asRead("/pins").delete("/pins?prefix=" + HttpFetch.segment(prefix) + "&service=" + HttpFetch.segment(service));
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            Pins.table(answer, out);
        }
    }

    /** {@code tamanoir node access}. */
    @Command(name = "access", mixinStandardHelpOptions = true,
            description = "Show the access policy in force: its rules, how many streams each has decided, and who has streams open.",
            footer = {"", "Example:", "  tamanoir node access"})
    static final class Access extends NodeQuery {
        @Override
        JsonNode ask() {
            return api().json("/access");
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            out.println(answer.path("file").asText());
            answer.path("issuers").forEach(issuer -> out.println("tokens of " + issuer.asText()));
            Table table = new Table("LINE", "RULE", "DECIDED", "OPEN");
            answer.path("rules").forEach(rule -> table.row(rule.path("line").asText(), rule.path("rule").asText(), rule.path("decided").asText(),
                    rule.path("open").properties().stream().map(each -> each.getKey() + ": " + each.getValue().asText()).collect(Collectors.joining(", "))));
            table.print(out);
            out.println("refused because no rule matches: " + answer.path("refusedByNone").asText());
        }
    }

    /** {@code tamanoir node pin}. */
    @Command(name = "pin", mixinStandardHelpOptions = true,
            description = {"Pin a version of a service for new streams to a prefix, even if there is a newer one.",
                "The pin lasts until it is removed or the node stops; for longer, put it into the configuration."},
            footer = {"", "Example:", "  tamanoir node pin 198.51.100.0/24 compression 0.1.0"})
    static final class Pin extends NodeChange {
        @Parameters(index = "0", paramLabel = "PREFIX", description = "Destinations, such as 198.51.100.0/24.")
        private String prefix;
        @Parameters(index = "1", paramLabel = "SERVICE", description = "The name of the service.")
        private String service;
        @Parameters(index = "2", paramLabel = "VERSION", description = "The version.")
        private String version;

        @Override
        JsonNode ask() {
            Map<String, String> pin = new LinkedHashMap<>();
            pin.put("prefix", prefix);
            pin.put("service", service);
            pin.put("version", version);
            return asRead("/pins").putJson("/pins", pin);
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            Pins.table(answer, out);
        }
    }

    /** {@code tamanoir node services}. */
    @Command(name = "services", mixinStandardHelpOptions = true,
            description = {"List the services of a node: running, being fetched, or unavailable.",
                "CURRENT marks the version that new streams get. With --watch: one line per change of state, starting with recent ones, until the node "
                        + "ends or Ctrl-C; with --json one object per line."},
            footer = {"", "Examples:", "  tamanoir node services", "  tamanoir node services --watch"})
    static final class Services extends NodeQuery {
        @Option(names = "--watch", description = "Print changes as they happen.")
        private boolean watch;

        @Override
        public Integer call() {
            if (watch) {
                new ServiceWatcher(api(), out(), isJson()).run();
                return ExitCode.DONE;
            }
            return super.call();
        }

        @Override
        JsonNode ask() {
            return api().json("/services");
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            NodeServiceTable table = new NodeServiceTable();
            answer.path("services").forEach(table::add);
            table.print(out);
        }
    }

    /** {@code tamanoir node links}. */
    @Command(name = "links", mixinStandardHelpOptions = true,
            description = "Show the neighbours of a node, and what services report about them.",
            footer = {"", "Examples:", "  tamanoir node links", "  tamanoir node links --json"})
    static final class Links extends NodeQuery {
        @Override
        JsonNode ask() {
            return api().json("/links");
        }

        @Override
        void print(JsonNode links, PrintWriter out) {
            out.printf("neighbours  %s%n", list(links.path("neighbours")));
            out.printf("members     %s%n", list(links.path("members")));
            out.printf("groups      %s%n", links.hasNonNull("hears") ? list(links.path("groups")) + " on " + links.path("hears").asText()
                    + ", " + links.path("ttl").asInt() + " hops" : "no interface for them");
            out.printf("datagrams   %d in, %s; %d out, %s%n", links.path("packetsIn").asLong(), Units.bytes(links.path("bytesIn").asDouble()),
                    links.path("packetsOut").asLong(), Units.bytes(links.path("bytesOut").asDouble()));
            links.path("dropped").properties().forEach(entry -> out.printf("dropped     %s: %d%n", entry.getKey(), entry.getValue().asLong()));
            Table table = new Table("SERVICE", "VERSION", "LOOP", "REPORT");
            for (JsonNode handler : links.path("handlers")) {
                table.row(handler.path("name").asText(), handler.path("version").asText(), handler.path("loop").asInt(),
                        handler.path("report").toString());
            }
            table.print(out);
        }

        private static String list(JsonNode names) {
            List<String> all = new ArrayList<>();
            names.forEach(name -> all.add(name.asText()));
            return all.isEmpty() ? "none" : String.join(", ", all);
        }
    }

    /** {@code tamanoir node streams}. */
    @Command(name = "streams", mixinStandardHelpOptions = true, description = "List the streams of a node, or show one with what its services report about it.",
            footer = {"", "Examples:", "  tamanoir node streams", "  tamanoir node streams --ended", "  tamanoir node streams 7 --json"})
    static final class Streams extends NodeQuery {
        @Option(names = "--ended", description = "Show the streams that ended recently, newest first.")
        private boolean ended;

        @Parameters(arity = "0..1", paramLabel = "NUMBER", description = "Show one stream, by the node's number for it.")
        private Long number;

        @Override
        JsonNode ask() {
            return api().json(number != null ? "/streams/" + number : ended ? "/streams?ended" : "/streams");
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            if (number != null) {
                one(answer, out);
                return;
            }
            Table table = new Table("NO", "TRANSPORT", "STATE", "POSITION", "FROM", "TO", "NEXT", "SERVICES", "SESSION", "IN", "OUT", "BACK", "WAIT", "AGE", "REASON");
            for (JsonNode stream : answer.path("streams")) {
                table.row(stream.path("number").asLong(), stream.path("transport").asText(), stream.path("state").asText(),
                        plain(stream.path("position")), stream.path("source").asText(), plain(stream.path("destination")),
                        plain(stream.path("next")), services(stream), session(stream), Units.bytes(stream.path("bytesIn").asDouble()),
                        Units.bytes(stream.path("bytesOut").asDouble()), Units.bytes(stream.path("bytesBack").asDouble()),
                        Units.millis(stream.path("waitMillis").asLong()), Units.millis(stream.path("ageMillis").asLong()),
                        plain(stream.path("reason")));
            }
            table.print(out);
        }

        /** @param stream what a node says of one */
        static void one(JsonNode stream, PrintWriter out) {
            stream.properties().forEach(entry -> out.printf("%-14s %s%n", entry.getKey(), plain(entry.getValue())));
        }

        private static String services(JsonNode stream) {
            List<String> names = new ArrayList<>();
            stream.path("services").forEach(name -> names.add(name.asText()));
            return String.join(",", names);
        }

        /** {@code 00000000000000c7/2}: the second chain of nodes of that session. */
        private static String session(JsonNode stream) {
            return stream.path("session").isTextual() ? stream.path("session").asText() + "/" + stream.path("epoch").asInt() : "-";
        }

        private static String plain(JsonNode value) {
            return value.isNull() || value.isMissingNode() ? "-" : value.isTextual() ? value.asText() : value.toString();
        }
    }

    /** {@code tamanoir node pins}. */
    @Command(name = "pins", mixinStandardHelpOptions = true, description = "List the pinned versions of services by destination.",
            footer = {"", "Example:", "  tamanoir node pins"})
    static final class Pins extends NodeQuery {
        @Override
        JsonNode ask() {
            return api().json("/pins");
        }

        @Override
        void print(JsonNode answer, PrintWriter out) {
            table(answer, out);
        }

        /** @param answer what a node says of its pins */
        static void table(JsonNode answer, PrintWriter out) {
            Table table = new Table("PREFIX", "SERVICE", "VERSION");
            answer.path("pins").forEach(pin -> table.row(pin.path("prefix").asText(), pin.path("service").asText(), pin.path("version").asText()));
            table.print(out);
        }
    }
}
