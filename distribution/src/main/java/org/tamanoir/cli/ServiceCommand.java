package org.tamanoir.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tamanoir service}: the list of its commands. */
@Command(name = "service", mixinStandardHelpOptions = true, description = "Services in a repository, and bundles before they get there.",
        subcommands = {ServiceList.class, ServiceShow.class, ServicePush.class, ServiceRetire.class, ServiceInspect.class},
        footer = {"", "Example:", "  tamanoir service push services/*/target/*.jar"})
final class ServiceCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
