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

/** {@code tamanoir service show}. */
@Command(name = "show", mixinStandardHelpOptions = true, description = "Shows the versions of one service, oldest first.",
        footer = {"", "Example:", "  tamanoir service show compression", "", "Exit codes: " + Exit.EXPLAINED})
final class ServiceShow implements Runnable {
    @Spec
    private CommandSpec spec;
    @Mixin
    private RepositoryOptions repository;
    @Parameters(paramLabel = "NAME", description = "The service.")
    private String name;
    @Option(names = "--json", description = "Prints one object: name, typeId, versions.")
    private boolean json;

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        JsonNode answer = repository.fetch().json("/services/" + HttpFetch.segment(name));
        if (json) {
            Json.print(out, answer);
            return;
        }
        ServiceTable table = new ServiceTable();
        answer.path("versions").forEach(table::add);
        table.print(out);
    }
}
