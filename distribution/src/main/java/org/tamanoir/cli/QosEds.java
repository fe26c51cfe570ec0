package org.tamanoir.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.qos.domain.TcProgram;
import org.tamanoir.qos.eds.EdsParameters;
import org.tamanoir.qos.eds.Red;
import org.tamanoir.qos.eds.kernel.EdsQueueSetup;
import org.tamanoir.qos.eds.kernel.EdsQueueSetup.Status;
import org.tamanoir.qos.eds.kernel.EdsSettings;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tamanoir qos eds}: equivalent classes of an interface. */
@Command(name = "eds", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND",
        description = {"Manage equivalent differentiated services on an interface of this machine: the class with the i-th shortest delay has the i-th highest "
                + "loss, so that nobody has to pay or ask for a class.",
            "The queue is a kernel module, built with make -C kernel-helpers/eds; docs/qos.md describes the rest."},
        subcommands = {QosEds.Apply.class, QosEds.Show.class, QosEds.Remove.class},
        footer = {"", "Examples:", "  tamanoir qos eds apply --interface eth1 --rate 95M --module sch_eds.ko --tc-lib kernel-helpers/eds/build", "  tamanoir qos eds show --interface eth1 --tc-lib kernel-helpers/eds/build",
            "  tamanoir qos eds remove --interface eth1"})
final class QosEds {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,9}):(\\d{1,9})");

    /** Which interface, and in which form to answer. */
    static final class Target {
        @Option(names = "--interface", required = true, paramLabel = "DEV", description = "The interface whose outgoing traffic is divided.")
        private String device;

        @Option(names = "--tc-lib", paramLabel = "DIR", description = "Directory of q_eds.so, which adds the queue's options to tc. Default: ${DEFAULT-VALUE}.",
                defaultValue = "/usr/lib/tc")
        private Path tcLibrary;

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        /** What tc has not learnt it neither sets up nor counts, and blames the kernel. */
        private AnepException lacksOptions() {
            return new AnepException(ErrorCode.MISSING_TOOL, "tc does not know the queue: " + tcLibrary.resolve("q_eds.so") + " is not there or not for this tc; "
                    + "make -C kernel-helpers/eds tc, and name its folder by --tc-lib");
        }

        private EdsQueueSetup setup() {
            return new EdsQueueSetup(Path.of("/"), System.getProperty("os.version"), new TcProgram("env", "TC_LIB_DIR=" + tcLibrary.toAbsolutePath()), device);
        }
    }

    /** What is loaded. */
    static final class Kind {
        @Option(names = "--module", required = true, paramLabel = "FILE", description = "The module sch_eds.ko, built for the running kernel.")
        private Path module;

        @Option(names = "--bpf", required = true, paramLabel = "FILE",
                description = "The same in BPF, eds.bpf.o, for Linux 6.16 with CONFIG_NET_SCH_BPF; its parameters were compiled in.")
        private Path bpf;
    }

    /** {@code tamanoir qos eds apply}. */
    @Command(name = "apply", mixinStandardHelpOptions = true,
            description = "Load the queue into the kernel if necessary, and set it up. If anything fails, the interface stays as it was. Needs root.",
            footer = {"", "Examples:", "  tamanoir qos eds apply --interface eth1 --rate 95M --module sch_eds.ko --tc-lib .",
                "  tamanoir qos eds apply --interface eth1 --module sch_eds.ko --delay 1,2 --loss 2,1 --code-points 3,7", "",
                "Exit codes: " + ExitCode.EXPLAINED})
    static final class Apply implements Callable<Integer> {
        @Mixin
        private Target target;

        @ArgGroup(multiplicity = "1")
        private Kind kind;

        @Option(names = "--rate", paramLabel = "RATE", converter = Units.BitRate.class,
                description = "Rate of the bottleneck in bits per second, slightly below that of the link, so that the queue forms here. Default: the interface is "
                        + "the bottleneck.")
        private Long rate;

        @Option(names = "--limit", paramLabel = "N", description = "Length of the queue in octets. Default: ${DEFAULT-VALUE}.", defaultValue = "100000")
        private int limit;

        @Option(names = "--red", paramLabel = "MIN:MAX",
                description = "Drop early (RED), between these average queue lengths in octets; needs --rate. Default: drop only at the limit.")
        private String red;

        @Option(names = "--history", paramLabel = "N", description = "Number of arrivals over which loss rates are measured; 0 for all. Default: ${DEFAULT-VALUE}.",
                defaultValue = "1200")
        private int history;

        @Option(names = "--delay", paramLabel = "N", split = ",", description = "Delay factors, fastest class first. Default: ${DEFAULT-VALUE}.",
                defaultValue = "10,12,15,20,30,60")
        private List<Integer> delay;

        @Option(names = "--loss", paramLabel = "N", split = ",", description = "Loss factors. Default: ${DEFAULT-VALUE}.", defaultValue = "60,30,20,15,12,10")
        private List<Integer> loss;

        @Option(names = "--code-points", paramLabel = "DSCP", split = ",",
                description = "Code points of each class; other packets use the middle class. Default: ${DEFAULT-VALUE}.", defaultValue = "3,7,11,15,19,23")
        private List<Integer> codePoints;

        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() {
            if (kind.bpf != null) {
                target.setup().applyBpf(kind.bpf);
            } else if (!Files.exists(target.tcLibrary.resolve("q_eds.so"))) {
                throw target.lacksOptions();
            } else {
                target.setup().apply(kind.module, settings());
            }
            PrintWriter out = spec.commandLine().getOut();
            if (target.json) {
                Json.print(out, Map.of("interface", target.device, "applied", true));
            } else {
                out.println(target.device + ": " + (kind.bpf != null ? "the classes of " + kind.bpf : delay.size() + " equivalent classes"));
            }
            return ExitCode.DONE;
        }

        private EdsSettings settings() {
            EdsParameters parameters = new EdsParameters(limit, history, delay, loss, null);
            return new EdsSettings(rate == null ? 0 : rate, red == null ? parameters : parameters.with(red()), codePoints);
        }

        private Red red() {
            Matcher range = RANGE.matcher(red);
            if (!range.matches() || rate == null) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "--red is MIN:MAX in octets, and needs --rate");
            }
            return EdsSettings.red(Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)), rate);
        }
    }

    /** {@code tamanoir qos eds show}. */
    @Command(name = "show", mixinStandardHelpOptions = true, description = "Show what each class has carried since the queue was set up.",
            footer = {"", "Example:", "  tamanoir qos eds show --interface eth1 --tc-lib .", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Show implements Callable<Integer> {
        @Mixin
        private Target target;

        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() {
            Optional<List<Status>> status = target.setup().show();
            if (status.isPresent() && status.get().isEmpty() && !target.setup().isUnderstood()) {
                throw target.lacksOptions();
            }
            PrintWriter out = spec.commandLine().getOut();
            if (target.json) {
                Json.print(out, Map.of("interface", target.device, "ours", status.isPresent(), "classes", status.orElse(List.of())));
            } else if (status.isEmpty()) {
                out.println(target.device + " has no equivalent classes");
            } else if (status.get().isEmpty()) {
                out.println(target.device + ": no packet has come yet");
            } else {
                Table table = new Table("CLASS", "ARRIVED", "LOST", "SENT", "DELAY ms", "LOSS %");
                status.get().forEach(each -> table.row(each.number(), each.count().arrived(), each.count().lost(), each.count().sent(),
                        String.format(Locale.ROOT, "%.3f", each.count().delay()), String.format(Locale.ROOT, "%.3f", 100 * each.count().lossRate())));
                table.print(out);
            }
            return status.isPresent() ? ExitCode.DONE : ExitCode.NOT_FOUND;
        }
    }

    /** {@code tamanoir qos eds remove}. */
    @Command(name = "remove", mixinStandardHelpOptions = true,
            description = "Remove the queue, and what was loaded for it unless another interface uses it; the kernel's own queue returns.",
            footer = {"", "Example:", "  tamanoir qos eds remove --interface eth1", "", "Exit codes: " + ExitCode.EXPLAINED})
    static final class Remove implements Callable<Integer> {
        @Mixin
        private Target target;

        @Spec
        private CommandSpec spec;

        @Override
        public Integer call() {
            boolean removed = target.setup().remove();
            PrintWriter out = spec.commandLine().getOut();
            if (target.json) {
                Json.print(out, Map.of("interface", target.device, "removed", removed));
            } else {
                out.println(target.device + (removed ? ": removed" : " has no equivalent classes"));
            }
            return ExitCode.DONE;
        }
    }
}
