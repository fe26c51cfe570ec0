package org.tamanoir.cli;

import picocli.CommandLine.Command;

/** {@code tamanoir anep}: tools for the wire format. */
@Command(name = "anep", mixinStandardHelpOptions = true, subcommands = AnepDecode.class, synopsisSubcommandLabel = "COMMAND",
        description = "Look at packets.",
        footer = {"", "Example:", "  tamanoir anep decode stream.anep"})
final class AnepCommand {
}
