package org.tamanoir.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cli.Units.BitRate;
import org.tamanoir.cli.Units.Time;
import org.tamanoir.paths.advisor.Advice;
import org.tamanoir.paths.advisor.KernelLimits;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tamanoir host}: the machine itself. */
@Command(name = "host", mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND", subcommands = {HostCommand.Check.class, HostTuneCommand.class},
        description = "Check this machine, and set what long paths need.",
        footer = {"", "Example:", "  tamanoir host check --to 10.2.0.9:3335 --rate 1G"})
final class HostCommand {
    /** {@code tamanoir host check}. */
    @Command(name = "check", mixinStandardHelpOptions = true,
            description = {"Check whether one connection can fill a path of a given round trip and rate, or which kernel limits prevent it.",
                "--apply raises these limits, now and in /etc/sysctl.d/60-tamanoir-windows.conf, and lowers none; --undo reverts that. Both need root."},
            footer = {"", "Examples:", "  tamanoir host check --to 10.2.0.9:3335 --rate 1G", "  tamanoir host check --rtt 100ms --rate 10G --apply", "  tamanoir host check --undo", "",
                "Exit codes: " + ExitCode.EXPLAINED, "It is 1 as well if the limits are not sufficient and nothing was applied."})
    static final class Check implements Callable<Integer> {
        private static final int HANDSHAKES = 5;
        private static final int PATIENCE_MILLIS = 5_000;

        @Spec
        private CommandSpec spec;

        @Option(names = "--to", paramLabel = "HOST:PORT", converter = HostPort.class, description = "Measure the round trip as the shortest of five handshakes with this server.")
        private InetSocketAddress to;

        @Option(names = "--rtt", paramLabel = "TIME", converter = Time.class, description = "The round trip, if it is known: 21ms.")
        private Duration roundTrip;

        @Option(names = "--rate", paramLabel = "BITS", converter = BitRate.class, description = "The rate that the path can carry, in bits per second, such as 1G.")
        private long rate;

        @Option(names = "--apply", description = "Raise the limits that are too low.")
        private boolean apply;

        @Option(names = "--undo", description = "Revert what --apply has set, except for values changed since.")
        private boolean undo;

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        private final HostLimits limits = new HostLimits(Path.of("/"));

        @Override
        public Integer call() {
            PrintWriter out = spec.commandLine().getOut();
            if (undo) {
                return undo(out);
            }
            if (rate <= 0 || (to == null) == (roundTrip == null) || roundTrip != null && roundTrip.isZero()) {
                throw new ParameterException(spec.commandLine(), "give --rate, and either --to or --rtt; or --undo alone");
            }
            double millis;
            Progress progress = new Progress(spec.commandLine().getErr(), "measuring the round trip");
            try (progress) {
                millis = roundTrip != null ? roundTrip.toNanos() / 1e6 : measured();
            }
            KernelLimits today = limits.today();
            Advice advice = Advice.of(millis, rate / 1e6, today);
            if (apply && !advice.isSufficient()) {
                limits.apply(advice.lines(), advice.why());
            }
            if (json) {
                Json.print(out, answer(millis, today, advice));
            } else {
                print(out, today, advice);
            }
            return advice.isSufficient() || apply ? ExitCode.DONE : ExitCode.FAILED;
        }

        private int undo(PrintWriter out) {
            if (apply || rate != 0 || to != null || roundTrip != null) {
                throw new ParameterException(spec.commandLine(), "--undo stands alone");
            }
            boolean applied = limits.isApplied();
            Map<String, String> again = limits.undo();
            if (json) {
                Json.print(out, Map.of("undone", applied, "set", again));
            } else if (!applied) {
                out.println("nothing is applied");
            } else {
                again.forEach((key, value) -> out.println(key + " = " + value));
                out.println(limits.file() + " is gone");
            }
            return ExitCode.DONE;
        }

        /** Milliseconds. */
        private double measured() {
            InetSocketAddress address = to.isUnresolved() ? new InetSocketAddress(to.getHostString(), to.getPort()) : to;
            List<Long> times = new ArrayList<>();
            for (int i = 0; i < HANDSHAKES; i++) {
                long begun = System.nanoTime();
                try (Socket socket = new Socket()) {
                    socket.connect(address, PATIENCE_MILLIS);
                    times.add(System.nanoTime() - begun);
                } catch (IOException e) {
                    throw new AnepException(ErrorCode.UNREACHABLE, to.getHostString() + ":" + to.getPort() + " takes no connection, so that the round trip cannot be measured: "
                            + AnepException.reason(e), e);
                }
            }
            return times.stream().mapToLong(Long::longValue).min().orElseThrow() / 1e6;
        }

        private Map<String, Object> answer(double millis, KernelLimits today, Advice advice) {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("roundTripMillis", millis);
            answer.put("megabitsPerSecond", rate / 1e6);
            answer.put("windowOctets", Math.round(advice.window()));
            answer.put("reachesMegabitsPerSecond", advice.reaches());
            answer.put("sufficient", advice.isSufficient());
            answer.put("today", today);
            answer.put("lines", advice.lines());
            answer.put("applied", apply && !advice.isSufficient());
            return answer;
        }

        private void print(PrintWriter out, KernelLimits today, Advice advice) {
            out.println(advice.why());
            if (advice.isSufficient()) {
                return;
            }
            new Table("LIMIT", "TODAY", "WANTED").row("net.core.rmem_max", today.coreRmemMax(), advice.wanted().coreRmemMax())
                    .row("net.core.wmem_max", today.coreWmemMax(), advice.wanted().coreWmemMax()).row("net.ipv4.tcp_rmem", today.rmem(), advice.wanted().rmem())
                    .row("net.ipv4.tcp_wmem", today.wmem(), advice.wanted().wmem()).print(out);
            out.println(apply ? "set, now and in " + limits.file() : "'--apply' sets them");
        }
    }
}
