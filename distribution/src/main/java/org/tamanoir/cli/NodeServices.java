package org.tamanoir.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tamanoir node services}. */
@Command(name = "services", mixinStandardHelpOptions = true,
        description = {"The services of a node: those that run, are on their way, or could not be had.",
            "CURRENT says which version new streams get. With --watch: one line for each change of a state, the last ones first, until the "
                    + "node or Ctrl-C ends it; with --json one object a line."},
        footer = {"", "Examples:", "  tamanoir node services", "  tamanoir node services --watch"})
final class NodeServices extends NodeQuery {
    @Option(names = "--watch", description = "Prints changes as they happen.")
    private boolean watch;

    @Override
    public Integer call() {
        if (watch) {
            new ServiceWatcher(api(), out(), isJson()).run();
            return Exit.DONE;
        }
        return super.call();
    }

    @Override
    JsonNode ask() {
        return api().json("/services");
    }

    @Override
    void print(JsonNode answer, PrintWriter out) {
        NodeServiceTable table = new NodeServiceTable();
        answer.path("services").forEach(table::add);
        table.print(out);
    }
}
