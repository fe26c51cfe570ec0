package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import picocli.CommandLine.Command;

/** {@code tamanoir qos show}. */
@Command(name = "show", mixinStandardHelpOptions = true,
        description = "Show the classes of a node, their measurements on each segment, and its sessions.",
        footer = {"", "Examples:", "  tamanoir qos show", "  tamanoir qos show --node http://node.site-a:3380 --json"})
final class QosShow extends NodeQuery {
    @Override
    JsonNode ask() {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        all.setAll((ObjectNode) api().json("/services/qosinus/inspect/classes"));
        all.setAll((ObjectNode) api().json("/services/qosinus/inspect/sessions"));
        if (!all.path("partners").path("qos-monitoring").asText().equals("not there")) {
            all.setAll((ObjectNode) api().json("/services/qos-monitoring/inspect/paths"));
        }
        return all;
    }

    @Override
    void print(JsonNode all, PrintWriter out) {
        out.printf("node %s%n", all.path("node").asText());
        all.path("partners").properties().forEach(each -> out.printf("%s %s%n", each.getKey(), each.getValue().asText()));
        out.println();
        Table classes = new Table("CLASS", "DSCP", "CAPACITY", "ALLOCATED");
        for (JsonNode each : all.path("classes")) {
            long capacity = each.path("capacity").asLong();
            classes.row(each.path("class").asText(), each.path("dscp").path(0).asInt(), capacity == 0 ? "-" : bits(capacity),
                    capacity == 0 ? "-" : bits(each.path("allocated").asLong()));
        }
        classes.print(out);
        if (all.has("paths")) {
            out.println();
            QosSamples.print(all.path("paths"), out);
        }
        out.printf("%nsessions: %d, %d of them carry something%n", all.path("stored").asLong(), all.path("active").asLong());
        Table sessions = new Table("SESSION", "OWNER", "CLASS", "BACK", "STATE", "PACKETS", "OCTETS", "DROPPED", "FLOW");
        for (JsonNode each : all.path("sessions")) {
            sessions.row(each.path("session").asText(), each.path("owner").asText(), each.path("class").asText("-"), each.path("backClass").asText("-"), each.path("state").asText(),
                    each.path("packets").asLong(), each.path("octets").asLong(), each.path("dropped").asLong(), each.path("flow").asText());
        }
        sessions.print(out);
    }

    static String bits(long octetsASecond) {
        return Units.bitRate(octetsASecond * 8.0);
    }
}
