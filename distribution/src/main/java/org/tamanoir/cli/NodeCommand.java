package org.tamanoir.cli;

import picocli.CommandLine.Command;

/** {@code tamanoir node}: runs a node, and asks one. */
@Command(name = "node", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = "Run an active node, or ask one that runs.",
        subcommands = {NodeRun.class, NodeStatus.class, NodeTop.class, NodeStreams.class, NodeLinks.class, NodeRoutes.class, NodeServices.class,
            NodePins.class,
            NodePin.class, NodeUnpin.class, NodeRules.class, NodeReload.class, NodeExplain.class, NodeAccess.class},
        footer = {"", "Example:", "  tamanoir node run --listen 127.0.0.1:3322 --repository http://127.0.0.1:3325"})
final class NodeCommand {
}
