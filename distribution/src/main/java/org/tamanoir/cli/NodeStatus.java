package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Command;

/** {@code tamanoir node status}. */
@Command(name = "status", mixinStandardHelpOptions = true, description = "Show node status and health.",
        footer = {"", "Example:", "  tamanoir node status --node http://127.0.0.1:3380"})
final class NodeStatus extends NodeQuery {
    @Override
    JsonNode ask() {
        return api().json("/status");
    }

    @Override
    void print(JsonNode status, PrintWriter out) {
        out.printf("node      %s at %s, version %s, up %s%n", status.path("node").asText(), status.path("address").asText(),
                status.path("version").asText(), Units.millis(status.path("uptimeMillis").asLong()));
        out.printf("health    %s%n", status.path("health").path("status").asText());
        status.path("health").properties().forEach(entry -> {
            if (!entry.getKey().equals("status")) {
                out.printf("          %s: %s%n", entry.getKey(), entry.getValue().isTextual() ? entry.getValue().asText() : entry.getValue());
            }
        });
        out.printf("streams   %d now, %d opened, %d completed%n", status.path("streams").asLong(), status.path("streamsOpened").asLong(),
                status.path("streamsCompleted").asLong());
        out.printf("forward   %s in, %s out%n", Units.bytes(status.path("bytesIn").asDouble()), Units.bytes(status.path("bytesOut").asDouble()));
        out.printf("back      %s in, %s out%n", Units.bytes(status.path("bytesBack").asDouble()),
                Units.bytes(status.path("bytesReturned").asDouble()));
        links(status.path("links"), out);
        out.printf("memory    %s retained by streams%n", Units.bytes(status.path("memoryBytes").asDouble()));
        status.path("repositories").forEach(url -> out.printf("sources   %s%n", url.asText()));
        out.printf("code      %s%n", status.path("codeServer").asText());
        kernel(status.path("kernel"), out);
        probes(status.path("probes"), out);
        cluster(status.path("cluster"), out);
        fleet(status.path("fleet"), out);
        status.path("errors").properties().forEach(entry -> out.printf("errors    %s: %d%n", entry.getKey(), entry.getValue().asLong()));
        trust(status.path("trust"), out);
    }

    private static void links(JsonNode links, PrintWriter out) {
        out.printf("links     %d datagrams in, %d out%n", links.path("packetsIn").asLong(), links.path("packetsOut").asLong());
        links.path("dropped").properties().forEach(entry -> out.printf("          dropped, %s: %d%n", entry.getKey(), entry.getValue().asLong()));
    }

    private static void kernel(JsonNode kernel, PrintWriter out) {
        if (!kernel.path("used").asBoolean()) {
            out.printf("kernel    not used: %s%n", kernel.path("because").asText());
            return;
        }
        out.printf("kernel    %d streams%n", kernel.path("flows").asLong());
        kernel.path("interfaces").properties().forEach(entry -> out.printf("          %s: %s%n", entry.getKey(), entry.getValue().asText()));
        out.printf("          light TCP streams: %s%n", kernel.hasNonNull("lightBecause") ? "not forwarded, " + kernel.path("lightBecause").asText()
                : "forwarded");
    }

    private static void probes(JsonNode probes, PrintWriter out) {
        out.printf("probes    answered at %s: %d, not answered: %d above the rate, %d malformed, %d looped%n", probes.path("reflector").asText(),
                probes.path("answered").asLong(), probes.path("overRate").asLong(), probes.path("malformed").asLong(),
                probes.path("looped").asLong());
        out.printf("          own: %d sent, %d came back, by %s%n", probes.path("sent").asLong(), probes.path("received").asLong(),
                probes.path("sockets").asText());
    }

    private static void cluster(JsonNode cluster, PrintWriter out) {
        if (!cluster.isObject()) {
            return;
        }
        out.printf("cluster   %s of %s, %s, at %s; checks at %s get %s%n", cluster.path("name").asText(), cluster.path("pool").asText(),
                cluster.path("state").asText(), cluster.path("address").asText(), cluster.path("health").asText(), cluster.path("check").asText());
        cluster.path("frontends").forEach(each -> out.printf("          %s %s since %s%s%n", each.path("url").asText(), each.path("standing").asText(),
                each.path("since").asText(), each.hasNonNull("why") ? ": " + each.path("why").asText() : ""));
        if (cluster.hasNonNull("order")) {
            JsonNode order = cluster.path("order");
            String active = order.hasNonNull("version") ? ", " + order.path("version").asText() + " is active" : "";
            out.printf("          order of a front-end: %s%s%n", order.path("state").asText().toLowerCase(Locale.ROOT),
                    order.hasNonNull("text") ? ", " + order.path("text").asText() : active);
        }
        cluster.path("virtual").forEach(line -> out.printf("          %s%n", line.asText()));
        cluster.path("problems").forEach(line -> out.printf("          %s%n", line.asText()));
    }

    private static void fleet(JsonNode fleet, PrintWriter out) {
        if (!fleet.isObject()) {
            return;
        }
        long contact = fleet.path("contactMillis").asLong();
        out.printf("fleet     %s at %s, %s, %s%n", fleet.path("name").asText(), fleet.path("url").asText(), fleet.path("generation").asLong() == 0 ? "nothing of it yet"
                : "generation " + fleet.path("generation").asLong(), contact < 0 ? "never heard of" : "heard of " + Units.millis(contact) + " ago");
        for (String why : new String[] {"refused", "problem"}) {
            if (fleet.hasNonNull(why)) {
                out.printf("          %s: %s%n", why, fleet.path(why).asText());
            }
        }
    }

    private static void trust(JsonNode trust, PrintWriter out) {
        if (trust.path("mode").asText().equals("development")) {
            out.println("trust     DEVELOPMENT: unsigned bundles are run");
            return;
        }
        JsonNode revoked = trust.path("revoked");
        int publishers = trust.path("publishers").size();
        out.printf("trust     %d publisher%s; revoked: %d keys, %d bundles, %d contents%n", publishers, publishers == 1 ? "" : "s",
                revoked.path("keys").asInt(), revoked.path("bundles").asInt(), revoked.path("contents").asInt());
        for (JsonNode publisher : trust.path("publishers")) {
            out.printf("          %s%s, until %s%n", publisher.path("name").asText(), publisher.path("authority").asBoolean() ? " (authority)" : "",
                    publisher.path("until").asText());
        }
        for (JsonNode guest : trust.path("guests")) {
            out.printf("          guest %s%s, until %s%n", guest.path("name").asText(), guest.path("authority").asBoolean() ? " (authority)" : ", names ~" + guest.path("label").asText() + "/…",
                    guest.path("until").asText());
        }
        if (trust.hasNonNull("problem")) {
            out.printf("          the changed file is refused and what was trusted before stays: %s%n", trust.path("problem").asText());
        }
    }
}
