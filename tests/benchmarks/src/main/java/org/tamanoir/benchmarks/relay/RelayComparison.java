package org.tamanoir.benchmarks.relay;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.benchmarks.report.Machine;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;

/** A comparison from beginning to end: packages, network, rounds, result. */
public final class RelayComparison {
    private final RelayPlan plan;
    private final RelayBench bench;
    private final Report report;

    private RelayComparison(RelayPlan plan, RelayBench bench, Map<String, String> machine) {
        this.plan = plan;
        this.bench = bench;
        versions(machine);
        machine.put("load", machine.get("load") + " before, " + Machine.load() + " after");
        machine.put("placement", "streams " + plan.throughput() + ", round trips " + plan.roundTrip());
        if (plan.tls()) {
            machine.put("tls", "1.3, both sides certified, " + Station.CIPHERS);
        }
        this.report = new Report(machine, bench.samples().rows(), RelayTargets.of(bench.samples(), plan), bench.failures());
    }

    /**
     * Runs it.
     *
     * @param progress told what is being done, a line at a time
     * @throws AnepException (EE-504) if something is missing that cannot be installed
     * @throws LabException  if the network cannot be made or a system does not start
     */
    public static RelayComparison run(RelayPlan plan, Consumer<String> progress) {
        PeerPackages.require(plan.systems());
        Map<String, String> machine = Machine.describe();
        try (RelayTestbed testbed = new RelayTestbed(plan.tls())) {
            RelayBench bench = new RelayBench(plan, testbed, progress);
            bench.run();
            return new RelayComparison(plan, bench, machine);
        }
    }

    private void versions(Map<String, String> machine) {
        if (plan.systems().stream().anyMatch(RelayKind::isHaproxy)) {
            machine.put("haproxy", firstLine("haproxy", "-v"));
        }
        if (plan.systems().stream().anyMatch(RelayKind::isNginx)) {
            machine.put("nginx", firstLine("nginx", "-v"));
        }
    }

    private static String firstLine(String... command) {
        Command.Result result = Command.tryRun(List.of(command), null, Duration.ofSeconds(10));
        return (result.output() + result.errors()).lines().findFirst().orElse("unknown");
    }

    public Report report() {
        return report;
    }

    public void printTable(PrintWriter out) {
        new RelayTable(plan, bench.samples()).print(out);
    }
}
