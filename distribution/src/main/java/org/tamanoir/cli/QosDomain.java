package org.tamanoir.cli;

import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.tamanoir.qos.domain.DomainSetup;
import org.tamanoir.qos.domain.DomainStatus;
import org.tamanoir.qos.domain.TcProgram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tamanoir qos domain}: the classes of an interface. */
@Command(name = "domain", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = "Manage the classes of a DiffServ domain on an interface of this machine: EF, AF for TCP and for UDP, BE and LBE, using the kernel's "
                + "queues.",
        subcommands = {QosDomainApply.class, QosDomain.Show.class, QosDomain.Remove.class},
        footer = {"", "Examples:", "  tamanoir qos domain apply --interface eth1 --file domain.yaml --dry-run", "  tamanoir qos domain show --interface eth1",
            "  tamanoir qos domain remove --interface eth1"})
final class QosDomain {

    /** {@code tamanoir qos domain remove}. */
    @Command(name = "remove", mixinStandardHelpOptions = true,
            description = "Remove the classes that 'apply' set up; the kernel's own queue returns. Queues set up by others stay.",
            footer = {"", "Example:", "  tamanoir qos domain remove --interface eth1", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Remove implements Callable<Integer> {
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
            return ExitCode.DONE;
        }
    }

    /** {@code tamanoir qos domain show}. */
    @Command(name = "show", mixinStandardHelpOptions = true,
            description = "Show the classes of an interface, the queue of each, and what it has sent and dropped since it was created.",
            footer = {"", "Example:", "  tamanoir qos domain show --interface eth1", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Show implements Callable<Integer> {
        @Mixin
        private QosInterface target;

        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() {
            DomainStatus status = target.setup().show();
            PrintWriter out = spec.commandLine().getOut();
            if (target.json()) {
                Json.print(out, status);
            } else if (!status.ours()) {
                out.println(status.device() + " has no classes of ours: " + status.root());
            } else {
                out.println(status.device() + ", " + Units.bitRate(status.rate()));
                table(status).print(out);
                early(status, out);
            }
            // As everywhere: what was asked for is not there.
            return status.ours() ? ExitCode.DONE : ExitCode.NOT_FOUND;
        }

        private static void early(DomainStatus status, PrintWriter out) {
            Table table = new Table("CLASS", "PRECEDENCE", "PACKETS", "MARKED", "DROPPED EARLY", "FORCED");
            for (DomainStatus.Class each : status.classes()) {
                for (int i = 0; i < each.early().size(); i++) {
                    DomainStatus.Early early = each.early().get(i);
                    table.row(each.name(), i + 1, early.packets(), early.marked(), early.dropped(), early.forced());
                }
            }
            if (status.classes().stream().anyMatch(each -> !each.early().isEmpty())) {
                out.println();
                table.print(out);
            }
        }

        private static Table table(DomainStatus status) {
            Table table = new Table("CLASS", "CODE POINTS", "RATE", "CEILING", "QUEUE", "PACKETS", "OCTETS", "DROPPED", "WAITING");
            for (DomainStatus.Class each : status.classes()) {
                table.row(each.name() + (each.isStrict() ? " (first)" : ""), each.codePoints().stream().map(String::valueOf).collect(Collectors.joining(" ")),
                        Units.bitRate(each.rate()), Units.bitRate(each.ceiling()), each.queue(), each.packets(), each.octets(), each.dropped(),
                        each.waiting());
            }
            return table;
        }
    }

    /** Which interface, and in which form to answer. */
    static final class QosInterface {
        @Option(names = "--interface", required = true, paramLabel = "DEV", description = "The interface whose outgoing traffic is divided.")
        private String device;

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        DomainSetup setup() {
            return new DomainSetup(new TcProgram(), device);
        }

        String device() {
            return device;
        }

        boolean json() {
            return json;
        }
    }
}
