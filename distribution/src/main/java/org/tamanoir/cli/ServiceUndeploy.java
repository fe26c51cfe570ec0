package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tamanoir service undeploy}. */
@Command(name = "undeploy",
        description = {"Takes a service from a node: new streams do not get it, open ones finish or are ended after the drain time, then it is "
            + "removed, from the node's store too.", "A stream that asks for it later makes the node fetch it again if a source has it."},
        footer = {"", "Example:", "  tamanoir service undeploy compression --version 0.1.0", "", "Exit codes: " + Exit.EXPLAINED})
final class ServiceUndeploy extends NodeQuery {
    @Parameters(paramLabel = "NAME", description = "The service.")
    private String name;
    // Not by mixinStandardHelpOptions: picocli leaves out all of it where a command has a --version of its own.
    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help message and exit.")
    private boolean help;

    @Option(names = "--version", paramLabel = "VERSION", description = "Only this version; all unless given.")
    private String version;

    @Override
    JsonNode ask() {
        return patientApi().delete("/services/" + HttpFetch.segment(name) + (version == null ? "" : "?version=" + HttpFetch.segment(version)));
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        NodeServiceTable table = new NodeServiceTable();
        answer.path("services").forEach(table::add);
        table.print(out);
    }
}
