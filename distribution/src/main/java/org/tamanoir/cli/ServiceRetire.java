package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import org.tamanoir.http.fetch.HttpFetch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tamanoir service retire}. */
@Command(name = "retire", mixinStandardHelpOptions = true,
        description = {"Takes one version out of the index, so that no node fetches it anew.",
            "Its bundle stays for nodes that hold its hash, and its name and Type ID stay together. Pushing the same bundle publishes it again."},
        footer = {"", "Example:", "  tamanoir service retire compression 0.1.0", "", "Exit codes: " + Exit.EXPLAINED})
final class ServiceRetire implements Runnable {
    @Spec
    private CommandSpec spec;
    @Mixin
    private RepositoryOptions repository;
    @Mixin
    private TokenOptions tokens;
    @Parameters(index = "0", paramLabel = "NAME", description = "The service.")
    private String name;
    @Parameters(index = "1", paramLabel = "VERSION", description = "The version.")
    private String version;
    @Option(names = "--json", description = "Prints the version as an object.")
    private boolean json;

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        JsonNode entry = repository.fetch().token(tokens.token())
                .delete("/services/" + HttpFetch.segment(name) + "/" + HttpFetch.segment(version));
        if (json) {
            Json.print(out, entry);
            return;
        }
        ServiceTable table = new ServiceTable();
        table.add(entry);
        table.print(out);
    }
}
