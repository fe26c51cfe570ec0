package org.tamanoir.cli;

import picocli.CommandLine.Command;

/** {@code tamanoir qos}: quality of service. */
@Command(name = "qos", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = "Quality of service: the classes of a DiffServ domain on this machine's interfaces.",
        subcommands = {QosDomain.class},
        footer = {"", "Example:", "  tamanoir qos domain apply --interface eth1 --file domain.yaml"})
final class QosCommand {
}
