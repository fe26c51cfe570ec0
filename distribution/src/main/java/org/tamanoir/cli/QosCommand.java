package org.tamanoir.cli;

import picocli.CommandLine.Command;

/** {@code tamanoir qos}: quality of service. */
@Command(name = "qos", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = {"Quality of service: say what a flow needs, get the class that gives it.", "",
            "Sessions are opened, modified and released at the nodes of a path; show and explain ask one node; domain sets up the classes of a "
            + "DiffServ domain on this machine's interfaces."},
        subcommands = {QosOpen.class, QosModify.class, QosRelease.class, QosShow.class, QosExplain.class, QosDomain.class},
        footer = {"", "Examples:", "  tamanoir qos open --via node.site-a:3322 --to 10.2.0.7:7000 delay=low", "  tamanoir qos domain apply --interface eth1 --file domain.yaml"})
final class QosCommand {
}
