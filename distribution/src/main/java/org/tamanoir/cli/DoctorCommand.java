package org.tamanoir.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.cli.doctor.Finding;
import org.tamanoir.cli.doctor.Finding.State;
import org.tamanoir.cli.doctor.MachineChecks;
import org.tamanoir.cli.doctor.NodeChecks;
import org.tamanoir.node.manage.configuration.NodeConfiguration;
import org.tamanoir.paths.advisor.Advice;
import org.tamanoir.settings.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tamanoir doctor}. */
@Command(name = "doctor", mixinStandardHelpOptions = true,
        description = {"Check this machine, and what a node's configuration needs from it: Java, clock, kernel, limits, ports, disk, trust, neighbours.",
            "It changes nothing. Run it as the node's user, since permissions differ between users."},
        footer = {"", "Examples:", "  tamanoir doctor", "  tamanoir doctor --config /etc/tamanoir/node.yaml --json", "",
            "Exit codes: 0 nothing is wrong (there may be warnings), 1 something is, 2 usage or a bad configuration."})
final class DoctorCommand implements Callable<Integer> {
    private static final Path INSTALLED = Path.of("/etc/tamanoir/node.yaml");
    /** A long path of today: across an ocean, at the rate of a site. */
    private static final double ROUND_TRIP_MS = 100;
    private static final double MBITS = 1000;

    @Spec
    private CommandSpec spec;

    @Option(names = "--config", paramLabel = "FILE", description = "The node's configuration. Default: /etc/tamanoir/node.yaml if it exists; otherwise only the machine is checked.")
    private Path file;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() {
        Path configuration = file != null || !Files.isReadable(INSTALLED) ? file : INSTALLED;
        List<Finding> findings;
        try (Progress progress = new Progress(spec.commandLine().getErr(), "looking at this machine")) {
            findings = new ArrayList<>(MachineChecks.look());
            findings.add(windows());
            if (configuration != null) {
                progress.step("looking at what the node needs");
                findings.addAll(new NodeChecks(NodeConfiguration.of(Settings.of(configuration))).look());
            }
        }
        State worst = findings.stream().map(Finding::state).max(State::compareTo).orElse(State.OK);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("state", worst);
            answer.put("configuration", configuration == null ? null : configuration.toString());
            answer.put("findings", findings);
            Json.print(out, answer);
        } else {
            print(out, findings);
            if (configuration == null) {
                out.println("No node was looked at: name its configuration with --config.");
            }
            out.flush();
        }
        return worst == State.WRONG ? ExitCode.FAILED : ExitCode.DONE;
    }

    static void print(PrintWriter out, List<Finding> findings) {
        for (Finding each : findings) {
            out.printf("%-5s  %-10s  %s%n", each.state(), each.area(), each.found());
            if (each.remedy() != null) {
                out.printf("                   do: %s%n", each.remedy());
            }
        }
    }

    /** What {@code host check} says. */
    private static Finding windows() {
        try {
            Advice advice = Advice.of(ROUND_TRIP_MS, MBITS, new HostLimits(Path.of("/")).today());
            return new Finding("limits", advice.isSufficient() ? State.OK : State.WARN, "windows of TCP: " + advice.why(),
                    advice.isSufficient() ? null : "for your own paths: tamanoir host check --to HOST:PORT --rate 1G --apply");
        } catch (AnepException e) {
            return new Finding("limits", State.WARN, e.text(), null);
        }
    }
}
