package org.tamanoir.cli;

import picocli.CommandLine.Command;

/** {@code tamanoir service}: the list of its commands. */
@Command(name = "service", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = "Services in a repository, bundles before they get there, and services on a node.",
        subcommands = {ServiceNew.class, ServiceList.class, ServiceShow.class, ServicePush.class, ServiceRetire.class, ServiceInspect.class,
            ServiceSign.class, ServiceDeploy.class, ServiceUpgrade.class, ServiceUndeploy.class},
        footer = {"", "Example:", "  tamanoir service push services/*/target/*.jar"})
final class ServiceCommand {
}
