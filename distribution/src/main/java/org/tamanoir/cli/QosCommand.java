package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.Locale;
import org.tamanoir.client.qos.QosClient;
import org.tamanoir.client.qos.QosSession;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tamanoir qos}: quality of service. */
@Command(name = "qos", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = {"Quality of service: state what a flow needs, and get the class that provides it.", "",
            "Sessions are opened, modified and released at the nodes of a path; show and explain query one node; domain sets up the classes of a "
                    + "DiffServ domain on this machine's interfaces, eds equivalent classes, none of which is better."},
        subcommands = {QosCommand.Open.class, QosCommand.Modify.class, QosCommand.Release.class, QosShow.class, QosCommand.Explain.class, QosDomain.class, QosEds.class},
        footer = {"", "Examples:", "  tamanoir qos open --via node.site-a:3322 --to 10.2.0.7:7000 delay=low", "  tamanoir qos domain apply --interface eth1 --file domain.yaml"})
final class QosCommand {

    /** {@code tamanoir qos release}. */
    @Command(name = "release", mixinStandardHelpOptions = true,
            description = "Release a session at every node on its path. Anything its flow still sends is best effort.",
            footer = {"", "Example:", "  tamanoir qos release --via node.site-a:3322 --to 10.2.0.7:7000 4fd1c8a07be2993d", "",
                "Exit codes: " + ExitCode.EXPLAINED})
    static final class Release extends QosRequest {
        @Parameters(paramLabel = "CODE", description = "The session: 16 hexadecimal digits.")
        private String code;

        @Override
        QosSession ask(QosClient qos, InetSocketAddress via, InetSocketAddress to) throws InterruptedException {
            return qos.release(via, to, QosLevel.code(code));
        }

        @Override
        String done() {
            return "released";
        }
    }

    /** {@code tamanoir qos open}. */
    @Command(name = "open", mixinStandardHelpOptions = true,
            description = {"Tell every node on the path what a flow needs, and print the code of the session.", "",
                "Packets that carry the code ('send --session CODE') then get the class of service that provides it. A session that carries nothing for "
                        + "a while (the node's option idle) is dropped."},
            footer = {"", "Examples:", "  tamanoir qos open --via node.site-a:3322 --to 10.2.0.7:7000 delay=low,rate=medium",
                "  tamanoir qos open --via node.site-a:3322 --to 10.2.0.7:7000 --udp level.json", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Open extends QosRequest {
        @Option(names = "--udp", description = "The flow uses UDP. Default: TCP.")
        private boolean udp;

        @Parameters(paramLabel = "LEVEL", description = QosLevel.EXPLAINED)
        private String level;

        @Override
        QosSession ask(QosClient qos, InetSocketAddress via, InetSocketAddress to) throws InterruptedException {
            return qos.open(via, to, QosLevel.read(level, udp));
        }

        @Override
        String done() {
            return "opened";
        }
    }

    /** {@code tamanoir qos modify}. */
    @Command(name = "modify", mixinStandardHelpOptions = true,
            description = "Change the service level of a session at every node on its path, without interrupting its flow.",
            footer = {"", "Example:", "  tamanoir qos modify --via node.site-a:3322 --to 10.2.0.7:7000 4fd1c8a07be2993d minRateMbps=40", "",
                "Exit codes: " + ExitCode.EXPLAINED})
    static final class Modify extends QosRequest {
        @Option(names = "--udp", description = "The flow uses UDP. Default: TCP.")
        private boolean udp;

        @Parameters(index = "0", paramLabel = "CODE", description = "The session: 16 hexadecimal digits.")
        private String code;

        @Parameters(index = "1", paramLabel = "LEVEL", description = QosLevel.EXPLAINED)
        private String level;

        @Override
        QosSession ask(QosClient qos, InetSocketAddress via, InetSocketAddress to) throws InterruptedException {
            return qos.modify(via, to, QosLevel.code(code), QosLevel.read(level, udp));
        }

        @Override
        String done() {
            return "modified";
        }
    }

    /** {@code tamanoir qos explain}. */
    @Command(name = "explain", mixinStandardHelpOptions = true,
            description = "Explain why a session has its class: what was requested, what was measured, and the verdict on every class.",
            footer = {"", "Example:", "  tamanoir qos explain --node http://node.site-a:3380 4fd1c8a07be2993d"})
    static final class Explain extends NodeQuery {
        @Parameters(paramLabel = "CODE", description = "The session: 16 hexadecimal digits.")
        private String code;

        @Override
        JsonNode ask() {
            QosLevel.code(code);
            return api().json("/services/qosinus/inspect/session?code=" + HttpFetch.segment(code));
        }

        @Override
        void print(JsonNode all, PrintWriter out) {
            out.printf("session %s of %s, opened %s%n", all.path("session").asText(), all.path("owner").asText(), all.path("opened").asText());
            out.printf("asked    %s%n", all.path("level").path("objectives").toString());
            out.printf("flow     %s%n", all.path("level").path("flow").toString());
            way(all, out);
            transfer(all.path("transfer"), out);
            because(all, out);
            all.path("partners").properties().forEach(each -> out.printf("%s %s%n", each.getKey(), each.getValue().asText()));
            found(all, out);
            if (all.has("back")) {
                out.printf("%non the way back%n");
                way(all.path("back"), out);
                because(all.path("back"), out);
                found(all.path("back"), out);
            }
            if (!all.path("events").isEmpty()) {
                out.println();
                all.path("events").forEach(each -> out.printf("%s  %s: %s%n", each.path("time").asText(), each.path("event").asText(),
                        each.path("text").asText()));
            }
        }

        private static void way(JsonNode direction, PrintWriter out) {
            JsonNode counted = direction.path("counted");
            out.printf("segment  %s%n", direction.path("segment").asText("none that can be measured"));
            out.printf("counted  %d packets, %d octets, %d dropped, %d had to wait%n", counted.path("packets").asLong(), counted.path("octets").asLong(),
                    counted.path("dropped").asLong(), counted.path("waited").asLong());
        }

        private static void because(JsonNode direction, PrintWriter out) {
            if (!direction.has("class")) {
                out.printf("class    none: it carries nothing now%n");
                return;
            }
            long share = direction.path("allocated").asLong();
            out.printf("class    %s (%s), code point %d, %s%s%n", direction.path("class").asText(), direction.path("state").asText(), direction.path("dscp").asInt(),
                    direction.path("marked").asText(), share == 0 ? "" : ", share " + QosShow.bits(share));
            out.printf("because  %s%n", direction.path("reason").asText());
        }

        private static void found(JsonNode direction, PrintWriter out) {
            if (!direction.path("findings").isEmpty()) {
                out.println();
                Table findings = new Table("CLASS", "DOES", "SCORE", "FOUND");
                for (JsonNode each : direction.path("findings")) {
                    findings.row(each.path("class").asText(), each.path("feasible").asBoolean() ? "yes" : "no", each.path("score").isNumber() ? each.path("score").asText() : "-",
                            each.path("text").asText());
                }
                findings.print(out);
            }
            if (!direction.path("samples").isEmpty()) {
                out.println();
                QosSamples.printClasses(direction.path("samples"), out);
            }
        }

        private static void transfer(JsonNode file, PrintWriter out) {
            if (file.isMissingNode()) {
                return;
            }
            String how = file.has("lateSeconds") ? String.format(Locale.ROOT, file.path("lateSeconds").asDouble() > 0 ? ", %.1f s after the deadline"
                    : ", %.1f s before the deadline", Math.abs(file.path("lateSeconds").asDouble()))
                    : file.has("leftSeconds") ? String.format(Locale.ROOT, ", %.1f s left, needs %s", file.path("leftSeconds").asDouble(),
                            QosShow.bits(file.path("needed").asLong())) : "";
            out.printf("file     %s: %d of %d octets have passed%s%n", file.path("state").asText(), file.path("carried").asLong(),
                    file.path("size").asLong(), how);
            if (file.path("impossible").isTextual()) {
                out.printf("         %s%n", file.path("impossible").asText());
            }
        }
    }
}
