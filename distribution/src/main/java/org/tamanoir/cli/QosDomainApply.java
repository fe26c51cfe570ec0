package org.tamanoir.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.cli.QosDomain.QosInterface;
import org.tamanoir.qos.domain.Domain;
import org.tamanoir.qos.domain.DomainFile;
import org.tamanoir.qos.domain.DomainSetup;
import org.tamanoir.qos.domain.KernelModules;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tamanoir qos domain apply}. */
@Command(name = "apply", mixinStandardHelpOptions = true,
        description = {"Set up the classes that a file defines. Existing classes are left alone, and only differences are applied. If anything fails, the "
                + "interface stays as it was.",
            "The file states at least the rate of the link, 'rate: 200mbit'; docs/qos.md describes the rest. Needs root or CAP_NET_ADMIN, and a "
                    + "kernel with HTB."},
        footer = {"", "Examples:", "  tamanoir qos domain apply --interface eth1 --file domain.yaml --dry-run",
            "  tamanoir qos domain apply --interface eth1 --file domain.yaml", "", "Exit codes: " + ExitCode.EXPLAINED})
final class QosDomainApply implements Callable<Integer> {
    @Mixin
    private QosInterface target;

    @Option(names = "--file", required = true, paramLabel = "FILE", description = "The classes, in YAML.")
    private Path file;

    @Option(names = "--dry-run", description = "Print the tc commands that would be run, and change nothing.")
    private boolean dryRun;

    @Option(names = "--force", description = "Replace queues set up by others too; 'remove' does not restore them.")
    private boolean force;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        Domain domain = DomainFile.read(file, new KernelModules(Path.of("/")).queues());
        DomainSetup setup = target.setup();
        List<String> commands = dryRun ? setup.plan(domain, force) : setup.apply(domain, force);
        PrintWriter out = spec.commandLine().getOut();
        if (target.json()) {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("interface", target.device());
            answer.put("dryRun", dryRun);
            answer.put("changed", !dryRun && !commands.isEmpty());
            answer.put("commands", commands);
            Json.print(out, answer);
            return ExitCode.DONE;
        }
        if (dryRun) {
            commands.forEach(each -> out.println("tc " + each));
        }
        out.println(commands.isEmpty() ? target.device() + " has all of this already" : commands.size() + " commands of tc "
                + (dryRun ? "would be given" : "given: see 'tamanoir qos domain show --interface " + target.device() + "'"));
        return ExitCode.DONE;
    }
}
