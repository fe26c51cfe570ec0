package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tamanoir node pin}. */
@Command(name = "pin", mixinStandardHelpOptions = true,
        description = {"Holds a version of a service for new streams to the destinations of a prefix, whatever is newer.",
            "It holds until it is taken back or the node stops; what is to hold longer stands in the configuration."},
        footer = {"", "Example:", "  tamanoir node pin 198.51.100.0/24 compression 0.1.0"})
final class NodePin extends NodeChange {
    @Parameters(index = "0", paramLabel = "PREFIX", description = "Destinations, such as 198.51.100.0/24.")
    private String prefix;
    @Parameters(index = "1", paramLabel = "SERVICE", description = "The service, by its name.")
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
        NodePins.table(answer, out);
    }
}
