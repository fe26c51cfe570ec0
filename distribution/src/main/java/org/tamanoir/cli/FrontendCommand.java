package org.tamanoir.cli;

import picocli.CommandLine.Command;

/** {@code tamanoir frontend}. */
@Command(name = "frontend", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = "The front-end of a cluster: one address for many nodes.",
        subcommands = {FrontendRun.class, FrontendStatus.class},
        footer = {"", "Example:", "  tamanoir frontend run --config /etc/tamanoir/frontend.yaml"})
final class FrontendCommand {
}
