package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tamanoir node unpin}. */
@Command(name = "unpin", mixinStandardHelpOptions = true, description = "Takes a pin back: new streams get the current version again.",
        footer = {"", "Example:", "  tamanoir node unpin 198.51.100.0/24 compression"})
final class NodeUnpin extends NodeChange {
    @Parameters(index = "0", paramLabel = "PREFIX", description = "As it was pinned.")
    private String prefix;
    @Parameters(index = "1", paramLabel = "SERVICE", description = "The service, by its name.")
    private String service;

    @Override
    JsonNode ask() {
        return asRead("/pins").delete("/pins?prefix=" + HttpFetch.segment(prefix) + "&service=" + HttpFetch.segment(service));
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        NodePins.table(answer, out);
    }
}
