package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tamanoir qos explain}. */
@Command(name = "explain", mixinStandardHelpOptions = true,
        description = "Why a session has the class that it has: what was asked, what was measured, and what was found of every class.",
        footer = {"", "Example:", "  tamanoir qos explain --node http://node.site-a:3380 4fd1c8a07be2993d"})
final class QosExplain extends NodeQuery {
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
        out.printf("segment  %s%n", all.path("segment").asText("none that can be measured"));
        out.printf("counted  %d packets, %d octets, %d dropped, %d had to wait%n", all.path("counted").path("packets").asLong(),
                all.path("counted").path("octets").asLong(), all.path("counted").path("dropped").asLong(),
                all.path("counted").path("waited").asLong());
        if (!all.has("class")) {
            out.printf("class    none: it carries nothing now%n");
        } else {
            out.printf("class    %s (%s), code point %d, %s%s%n", all.path("class").asText(), all.path("state").asText(),
                    all.path("dscp").asInt(), all.path("marked").asText(), all.path("allocated").asLong() == 0 ? ""
                            : ", share " + QosShow.bits(all.path("allocated").asLong()));
            out.printf("because  %s%n", all.path("reason").asText());
        }
        all.path("partners").properties().forEach(each -> out.printf("%s %s%n", each.getKey(), each.getValue().asText()));
        if (!all.path("findings").isEmpty()) {
            out.println();
            Table findings = new Table("CLASS", "DOES", "SCORE", "FOUND");
            for (JsonNode each : all.path("findings")) {
                findings.row(each.path("class").asText(), each.path("feasible").asBoolean() ? "yes" : "no", each.path("score").isNumber() ? each.path("score").asText() : "-",
                        each.path("text").asText());
            }
            findings.print(out);
        }
        if (!all.path("samples").isEmpty()) {
            out.println();
            QosSamples.printClasses(all.path("samples"), out);
        }
        if (!all.path("events").isEmpty()) {
            out.println();
            all.path("events").forEach(each -> out.printf("%s  %s: %s%n", each.path("time").asText(), each.path("event").asText(),
                    each.path("text").asText()));
        }
    }
}
