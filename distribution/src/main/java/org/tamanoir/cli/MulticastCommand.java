package org.tamanoir.cli;

import picocli.CommandLine.Command;

/** {@code tamanoir multicast}: files to many receivers at once. */
@Command(name = "multicast", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = "Send files to many receivers at once (DyRAM), or be one of them.",
        subcommands = {MulticastSend.class, MulticastReceive.class},
        footer = {"", "Example:", "  tamanoir multicast send --group 239.1.2.3 --via localhost:3322 --expect 12 --rate 50M results.tar"})
final class MulticastCommand {
}
