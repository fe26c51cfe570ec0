package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tamanoir service list}. */
@Command(name = "list", mixinStandardHelpOptions = true, description = "Lists what a repository holds, retired versions too.",
        footer = {"", "Example:", "  tamanoir service list --repository http://repository.example:3325", "", "Exit codes: " + Exit.EXPLAINED})
final class ServiceList implements Runnable {
    @Spec
    private CommandSpec spec;
    @Mixin
    private RepositoryOptions repository;
    @Option(names = "--json", description = "Prints one object: services.")
    private boolean json;

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        JsonNode answer = repository.fetch().json("/services");
        if (json) {
            Json.print(out, answer);
            return;
        }
        ServiceTable table = new ServiceTable();
        answer.path("services").forEach(table::add);
        table.print(out);
    }
}
