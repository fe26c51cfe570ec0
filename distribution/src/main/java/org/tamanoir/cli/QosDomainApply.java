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
        description = {"Sets up the classes that a file asks for. What is there already is not touched; of a changed file only what differs is changed. "
            + "If something fails, the interface is as it was.",
            "The file says at least 'rate: 200mbit', the rate of the link; docs/qos.md has the rest. Needs root or CAP_NET_ADMIN, and a kernel with HTB."},
        footer = {"", "Examples:", "  tamanoir qos domain apply --interface eth1 --file domain.yaml --dry-run",
            "  tamanoir qos domain apply --interface eth1 --file domain.yaml", "", "Exit codes: " + ExitCode.EXPLAINED})
final class QosDomainApply implements Callable<Integer> {
    @Mixin
    private QosInterface target;

    @Option(names = "--file", required = true, paramLabel = "FILE", description = "What is wanted, in YAML.")
    private Path file;

    @Option(names = "--dry-run", description = "Prints the commands of tc that would be given, and changes nothing.")
    private boolean dryRun;

    @Option(names = "--force", description = "Also where somebody else has set up queues: they go, and 'remove' does not bring them back.")
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
