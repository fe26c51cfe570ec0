package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;

/** What an upgrade did or would do, as a node says it, for people: which version comes, from where, and what becomes of the streams. */
final class UpgradePlan {
    private final JsonNode plan;

    /** @param plan the answer to {@code POST /services/NAME/upgrade}, or to a dry run of a deployment */
    UpgradePlan(JsonNode plan) {
        this.plan = plan;
    }

    void print(PrintWriter out, boolean dryRun) {
        String name = plan.path("name").asText() + " (" + plan.path("typeId").asText() + ")";
        boolean old = plan.hasNonNull("from");
        for (JsonNode silent : plan.path("unreachable")) {
            out.println("not asked: " + silent.asText());
        }
        if (!plan.hasNonNull("to")) {
            out.println(name + ": nothing newer than " + plan.path("from").asText("-") + " is to be had");
            return;
        }
        out.println(name + ": " + (dryRun ? "would go " : "") + (old ? "from " + plan.path("from").asText() + " " : "") + "to "
                + plan.path("to").asText());
        out.println("source " + plan.path("source").asText() + ", publisher "
                + (plan.hasNonNull("publisher") ? plan.path("publisher").asText() : "unknown"));
        out.println("SHA-256 " + plan.path("sha256").asText());
        int streams = plan.path("streams").size();
        if (old) {
            out.println((dryRun ? "new streams would get " : "new streams get ") + plan.path("to").asText() + "; " + (streams == 0
                    ? "no stream is open on " + plan.path("from").asText()
                    : streams + (streams == 1 ? " stream stays" : " streams stay") + " on the old version for at most "
                    + plan.path("drain").asText()));
        }
        if (streams > 0) {
            Table table = new Table("NO", "ID", "VERSION", "FROM", "TO");
            for (JsonNode stream : plan.path("streams")) {
                table.row(stream.path("number").asText(), stream.path("id").asText(), stream.path("version").asText(),
                        stream.path("source").asText(), stream.path("destination").asText());
            }
            table.print(out);
        }
    }
}
