package org.tamanoir.cli;

import picocli.CommandLine.Command;

/** {@code tamanoir qos domain}: the classes of an interface. */
@Command(name = "domain", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = "The classes of a DiffServ domain on an interface of this machine: EF, AF for TCP and for UDP, BE and LBE, by the kernel's queues.",
        subcommands = {QosDomainApply.class, QosDomainShow.class, QosDomainRemove.class},
        footer = {"", "Examples:", "  tamanoir qos domain apply --interface eth1 --file domain.yaml --dry-run", "  tamanoir qos domain show --interface eth1",
            "  tamanoir qos domain remove --interface eth1"})
final class QosDomain {
}
