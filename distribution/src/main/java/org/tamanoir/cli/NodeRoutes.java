package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir node routes}. */
@Command(name = "routes", mixinStandardHelpOptions = true, description = "Show the routes of a node, longest prefix first, which of their next hops are in use and why, routes learned from neighbours, and "
        + "pools that it hands streams over to; or change one route.",
        footer = {"", "Examples:", "  tamanoir node routes", "  tamanoir node routes --put 198.51.100.0/24=203.0.113.7:3322",
                "  tamanoir node routes --put '198.51.100.0/24=203.0.113.7:3322*3,203.0.113.8:3322,203.0.113.9:3322*0'"})
final class NodeRoutes extends NodeChange {
    @ArgGroup
    private Change change;

    private static final class Change {
        @Option(names = "--put", required = true, paramLabel = "PREFIX=TARGET",
                description = "Add a route, or replace the one with the same prefix, until the next reload or restart. TARGET is HOST:PORT of the next node, several "
                        + "of them separated by commas and optionally followed by *WEIGHT (0: a spare), or direct.")
        private String put;

        @Option(names = "--remove", required = true, paramLabel = "PREFIX", description = "Remove the route of a prefix, until the next reload or restart.")
        private String remove;
    }

    @Override
    JsonNode ask() {
        if (change == null) {
            return api().json("/routes");
        }
        if (change.remove != null) {
            return asRead("/routes").delete("/routes?prefix=" + HttpFetch.segment(change.remove));
        }
        int equals = change.put.indexOf('=');
        if (equals < 0) {
            throw usage("--put needs PREFIX=HOST:PORT or PREFIX=direct");
        }
        return asRead("/routes").putJson("/routes", Map.of("prefix", change.put.substring(0, equals), "target", change.put.substring(equals + 1)));
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        Table table = new Table("PREFIX", "TARGET");
        answer.path("routes").properties().forEach(route -> table.row(route.getKey(), route.getValue().asText()));
        table.print(out);
        if (!answer.path("hops").isEmpty()) {
            out.println();
            Table hops = new Table("PREFIX", "NEXT HOP", "WEIGHT", "NEXT", "STATE", "STREAMS", "FAILURES", "BECAUSE IT");
            answer.path("hops").forEach(hop -> hops.row(hop.path("prefix").asText(), hop.path("to").asText(),
                    hop.path("weight").asInt() == 0 ? "spare" : hop.path("weight").asText(), hop.path("isNext").asBoolean() ? "yes" : "no",
                    hop.path("state").asText(), hop.path("streams").asLong(), hop.path("failures").asLong(), hop.path("because").asText()));
            hops.print(out);
        }
        if (!answer.path("told").isEmpty()) {
            out.println();
            Table told = new Table("TOLD PREFIX", "NEXT HOP", "METRIC", "BECAUSE IT");
            answer.path("told").forEach(route -> told.row(route.path("prefix").asText(), route.path("to").asText(), route.path("metric").asText(),
                    route.path("because").asText()));
            told.print(out);
        }
        if (!answer.path("neighbours").isEmpty()) {
            out.println();
            Table neighbours = new Table("NEIGHBOUR", "UP", "TOLD", "BELIEVED", "REFUSED");
            answer.path("neighbours").forEach(each -> neighbours.row(each.path("at").asText(), each.path("isUp").asBoolean() ? "yes" : "no",
                    each.path("told").asInt(), each.path("believed").asInt(), refused(each)));
            neighbours.print(out);
        }
        if (!answer.path("pools").isEmpty()) {
            out.println();
            Table pools = new Table("POOL", "LEVEL", "SERVICES", "STREAMS");
            answer.path("pools").forEach(pool -> pools.row(pool.path("to").asText(), pool.path("level").asText("-"), services(pool), pool.path("streams").asLong()));
            pools.print(out);
        }
    }

    private static String refused(JsonNode neighbour) {
        List<String> all = new ArrayList<>();
        neighbour.path("refused").properties().forEach(why -> all.add(why.getKey() + " " + why.getValue().asLong()));
        return all.isEmpty() ? "-" : String.join(", ", all);
    }

    private static String services(JsonNode pool) {
        List<String> names = new ArrayList<>();
        pool.path("services").forEach(name -> names.add(name.asText()));
        return names.isEmpty() ? "-" : String.join(",", names);
    }
}
