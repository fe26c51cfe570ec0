package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tamanoir service upgrade}. */
@Command(name = "upgrade", mixinStandardHelpOptions = true,
        description = {"Has a node get another version of a service and give it to new streams.",
            "It is done when the new version is active; streams on the old one finish there. A version that does not start changes nothing."},
        footer = {"", "Examples:", "  tamanoir service upgrade compression --dry-run", "  tamanoir service upgrade compression --version 0.2.0",
            "", "Exit codes: " + Exit.EXPLAINED})
final class ServiceUpgrade extends NodeQuery {
    @Parameters(paramLabel = "NAME", description = "The service.")
    private String name;
    @Option(names = "--version", paramLabel = "VERSION", description = "This version, also an older one; the newest unless given.")
    private String version;
    @Option(names = "--dry-run", description = "Only says what would happen, and to which streams.")
    private boolean dryRun;

    @Override
    JsonNode ask() {
        Map<String, Object> wanted = new LinkedHashMap<>();
        wanted.put("version", version);
        wanted.put("dryRun", dryRun);
        return patientApi().post("/services/" + HttpFetch.segment(name) + "/upgrade", wanted);
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        new UpgradePlan(answer).print(out, dryRun);
    }
}
