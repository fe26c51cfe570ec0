package org.tamanoir.cli;

import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code tamanoir qos domain remove}. */
@Command(name = "remove", mixinStandardHelpOptions = true,
        description = "Takes the classes away that 'apply' has set up; the kernel puts its own queue back. Queues of others stay.",
        footer = {"", "Example:", "  tamanoir qos domain remove --interface eth1", "", "Exit codes: " + Exit.EXPLAINED})
final class QosDomainRemove implements Callable<Integer> {
    @Mixin
    private QosInterface target;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        boolean removed = target.setup().remove();
        PrintWriter out = spec.commandLine().getOut();
        if (target.json()) {
            Json.print(out, Map.of("interface", target.device(), "removed", removed));
        } else {
            out.println(target.device() + (removed ? ": removed" : " has no classes of ours"));
        }
        return Exit.DONE;
    }
}
