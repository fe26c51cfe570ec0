package org.tamanoir.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tamanoir node}: runs a node, and asks one. */
@Command(name = "node", mixinStandardHelpOptions = true, description = "Run an active node, or ask one that runs.",
        subcommands = {NodeRun.class, NodeStatus.class, NodeTop.class, NodeStreams.class, NodeRoutes.class, NodeServices.class,
            NodeExplain.class},
        footer = {"", "Example:", "  tamanoir node run --listen 127.0.0.1:3322 --repository http://127.0.0.1:3325"})
final class NodeCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what: run, status, top, streams, routes, services or explain");
    }
}
