package org.tamanoir.benchmarks.relay;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.benchmarks.process.Profiler;
import org.tamanoir.benchmarks.relay.RelayCase.Metric;
import org.tamanoir.benchmarks.relay.RelayLoad.RelaySystem;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;

/**
 * A comparison from beginning to end: packages, network, rounds, result. Every round measures every case with every system, one system
 * directly after the other and in an order that turns, so that whatever changes on the machine meanwhile changes it for all.
 */
public final class RelayComparison {
    private final RelayPlan plan;
    private final Measurements measured;
    private final List<RelaySystem> systems = new ArrayList<>();
    private int done;

    private RelayComparison(RelayPlan plan, Consumer<String> progress) {
        this.plan = plan;
        this.measured = new Measurements(what -> progress.accept(100 * done / count() + " %, " + what));
    }

    private int count() {
        return (plan.warmUps() + plan.rounds()) * plan.systems().size() * plan.cases().size();
    }

    /**
     * Runs it.
     *
     * @param progress told what is being done, a line at a time
     * @throws AnepException (EE-504) if something is missing that cannot be installed
     * @throws LabException  if the network cannot be made or a system does not start
     */
    public static RelayComparison run(RelayPlan plan, Consumer<String> progress) {
        Relays.require(plan.systems());
        RelayComparison comparison = new RelayComparison(plan, progress);
        try (RelayTestbed testbed = new RelayTestbed(plan)) {
            comparison.describe(testbed.load());
            comparison.start(testbed);
            comparison.measured.rounds(plan.warmUps(), plan.rounds(), round -> comparison.round(round, testbed.load()));
            if (plan.profile() != null) {
                comparison.profile(testbed.load());
            }
        }
        return comparison;
    }

    private void describe(RelayLoad load) {
        plan.systems().stream().map(RelayKind::program).distinct().filter(List.of("haproxy", "nginx")::contains).forEach(program -> {
            Command.Result result = Command.tryRun(List.of(program, "-v"), null, Duration.ofSeconds(10));
            measured.machine().put(program, (result.output() + result.errors()).lines().findFirst().orElse("unknown"));
        });
        measured.machine().put("placement", load.placement());
        if (plan.transport() == Transport.TLS) {
            measured.machine().put("tls", "1.3, both sides certified, " + Relays.CIPHERS);
        }
    }

    /** A system that does not pass on what it gets is not measured. */
    private void start(RelayTestbed testbed) {
        Relays relays = new Relays(plan, testbed);
        for (RelayKind kind : plan.systems()) {
            measured.doing("starting " + kind);
            systems.add(relays.start(kind));
        }
        systems.removeIf(system -> !plan.packets().stream().allMatch(packet -> measured.attempt(
                system + ", " + packet + " octets, checking every octet", () -> testbed.load().check(system, packet))));
    }

    private void round(int round, RelayLoad load) {
        int turn = round;
        for (RelayCase what : plan.cases()) {
            Map<RelayKind, Map<Metric, Double>> found = new EnumMap<>(RelayKind.class);
            for (RelaySystem system : Measurements.turned(systems, turn)) {
                measured.attempt(system + ", " + what.title() + ", " + Measurements.name(round),
                        () -> found.put(system.kind(), new EnumMap<>(load.measure(what, system))));
                done++;
            }
            turn++;
            found.forEach((kind, figures) -> figures.forEach((metric, value) -> {
                measured.add(what.figure(kind, metric), value);
                found.forEach((other, others) -> {
                    if (what.isCompared(metric, kind, other) && others.getOrDefault(metric, 0.0) > 0) {
                        measured.add(what.ratio(kind, metric, other), value / others.get(metric));
                    }
                });
            }));
        }
    }

    /** One more run of each case for each flame graph, which counts for nothing else: who looks into a program slows it. */
    private void profile(RelayLoad load) {
        for (RelaySystem system : systems.stream().filter(each -> each.kind() == RelayKind.TAMANOIR).toList()) {
            for (RelayCase what : plan.cases()) {
                for (Profiler.Event event : Profiler.Event.values()) {
                    Path file = plan.profile().resolve(what.fileName() + "-" + event + ".html");
                    measured.attempt("flame graph " + file, () -> Profiler.record(system.processes().get(0).root(), event, what.title() + " (" + event + ")", file,
                            () -> load.measure(what, system)));
                }
            }
        }
    }

    public Report report() {
        return measured.report(RelayTargets.of(measured.samples(), plan));
    }

    public void printTable(PrintWriter out) {
        new RelayTable(plan, measured.samples()).print(out);
    }
}
