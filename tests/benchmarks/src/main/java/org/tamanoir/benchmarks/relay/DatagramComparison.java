package org.tamanoir.benchmarks.relay;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.tamanoir.benchmarks.load.LoadFigures;
import org.tamanoir.benchmarks.load.LoadTool;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.relay.DatagramTestbed.Case;
import org.tamanoir.benchmarks.relay.DatagramTestbed.Result;
import org.tamanoir.benchmarks.report.Machine;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;

/** {@code bench relay --udp}: datagrams through a node in user space, beside the plain router and other relays, every round through all of them. */
public final class DatagramComparison {
    /** Octets with the options of a first packet, and what a link of {@value DatagramTestbed#MTU} octets carries whole. */
    public static final List<Integer> PACKETS = List.of(64, 1400, 8000);
    private static final int LEAST = 64;
    private static final int MOST = DatagramTestbed.MTU - 128;
    private static final String ECHOES = "datagrams-32-outstanding";
    private static final String ONE_WAY = "datagrams-one-way";
    private static final String TRIPS = "datagrams-round-trip";
    private static final double OF_NGINX = 1.05;
    private static final double OF_BEFORE = 0.9;

    /**
     * What is to be run.
     *
     * @param systems out of {@link DatagramRelays#KINDS}
     * @param packets octets of the datagrams
     * @param warmUps rounds before, which do not count: a JVM has compiled what it will
     * @param rounds  how often everything is measured
     * @param run     how long one measurement counts
     * @param against the build of {@link RelayKind#BEFORE}, or null without it
     */
    public record Plan(List<RelayKind> systems, List<Integer> packets, int warmUps, int rounds, Duration run, Build against) {
        /** What is compared if nobody chooses. */
        public static List<RelayKind> compared(boolean before) {
            return DatagramRelays.KINDS.stream().filter(kind -> before || kind != RelayKind.BEFORE).toList();
        }

        /** @throws IllegalArgumentException that says which figure cannot be run */
        public void check() {
            require(warmUps >= 0, "no negative number of rounds to warm up");
            require(rounds >= 1, "at least one round");
            require(run.toMillis() >= 100 && run.toSeconds() <= 30, "measurements of 0.1 to 30 s");
            require(!packets.isEmpty() && packets.stream().allMatch(octets -> octets >= LEAST && octets <= MOST),
                    "datagrams of " + LEAST + " to " + MOST + " octets");
            require(DatagramRelays.KINDS.containsAll(systems), "with --udp of the systems " + DatagramRelays.KINDS);
            require(against != null || !systems.contains(RelayKind.BEFORE), "the system before together with --against DIR");
        }

        private static void require(boolean holds, String what) {
            if (!holds) {
                throw new IllegalArgumentException("the bench takes " + what);
            }
        }
    }

    private final Plan plan;
    private final Consumer<String> progress;
    private Samples samples = new Samples();
    private final List<String> failures = new ArrayList<>();
    private final Map<RelayKind, RelaySystem> systems = new EnumMap<>(RelayKind.class);
    private DatagramTestbed testbed;
    private int turn;

    /** @param progress told what is being done, a line at a time */
    public DatagramComparison(Plan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
    }

    /** @throws LabException if the network cannot be made or a system does not start */
    public Report run() {
        PeerPackages.require(plan.systems());
        LoadTool tool = LoadTool.make();
        Map<String, String> machine = Machine.describe();
        machine.put("placement", "round trips: all on one CPU; otherwise client and server apart, the relay wherever there is room");
        try (DatagramTestbed opened = new DatagramTestbed(tool)) {
            testbed = opened;
            for (RelayKind kind : plan.systems()) {
                progress.accept("starting " + kind);
                RelaySystem system = DatagramRelays.start(kind, testbed, plan.against());
                if (attempt(kind + ", checking every octet", () -> check(system))) {
                    systems.put(kind, system);
                }
            }
            for (int round = 1 - plan.warmUps(); round <= plan.rounds(); round++) {
                if (round == 1) {
                    samples = new Samples();
                }
                String of = round < 1 ? "warm-up, " : "round " + round + " of " + plan.rounds() + ", ";
                for (int octets : plan.packets()) {
                    measure(of, ECHOES, octets, system -> echoes(system, octets));
                    measure(of, ONE_WAY, octets, system -> oneWay(system, octets));
                }
                int least = Collections.min(plan.packets());
                measure(of, TRIPS, least, system -> trips(system, least));
            }
        }
        return new Report(machine, samples.rows(), targets(samples, plan), List.copyOf(failures));
    }

    private void check(RelaySystem system) {
        plan.packets().forEach(octets -> testbed.run(system, Case.WINDOW, octets, plan.run(), true));
    }

    private void measure(String round, String what, int octets, ToDoubleFunction<RelaySystem> run) {
        List<RelayKind> turned = new ArrayList<>(systems.keySet());
        Collections.rotate(turned, -turn++);
        Map<RelayKind, Double> values = new EnumMap<>(RelayKind.class);
        for (RelayKind kind : turned) {
            String name = round + what + ", " + octets + " octets, " + kind;
            progress.accept(name);
            attempt(name, () -> values.put(kind, run.applyAsDouble(systems.get(kind))));
        }
        Double own = values.get(RelayKind.TAMANOIR);
        values.forEach((kind, value) -> {
            if (own != null && kind != RelayKind.TAMANOIR) {
                samples.add(ofOther(what, octets, kind), own / value);
            }
        });
    }

    private double echoes(RelaySystem system, int octets) {
        Result result = testbed.run(system, Case.WINDOW, octets, plan.run(), false);
        double rate = result.figures().perSecond("echoed");
        samples.add(key(ECHOES, system.kind(), octets, "echoes", "1/s"), rate);
        // Of socat the process that has the flow comes and goes within the run, and its time with it.
        result.cpuSeconds().filter(cpu -> system.kind() != RelayKind.SOCAT).ifPresent(cpu -> samples.add(key(ECHOES, system.kind(), octets, "cpu", "us"), cpu * 1e6 / result.figures().get("all")));
        return rate;
    }

    private double oneWay(RelaySystem system, int octets) {
        Result result = testbed.run(system, Case.BLAST, octets, plan.run(), false);
        LoadFigures count = testbed.received();
        long sent = result.figures().get("sent");
        if (count.get("packets") == 0 || count.get("packets") > sent) {
            throw new LabException("sent " + sent + "; " + count);
        }
        // A relay with several workers on one socket may let datagrams overtake each other; a node may not.
        if (count.get("disorder") > 0 && system.kind() != RelayKind.NGINX) {
            throw new LabException("datagrams have overtaken each other: " + count);
        }
        samples.add(key(ONE_WAY, system.kind(), octets, "disorder", "ratio"), (double) count.get("disorder") / count.get("packets"));
        double rate = count.perSecond("packets");
        samples.add(key(ONE_WAY, system.kind(), octets, "received", "1/s"), rate);
        samples.add(key(ONE_WAY, system.kind(), octets, "lost", "ratio"), 1 - (double) count.get("packets") / sent);
        return rate;
    }

    private double trips(RelaySystem system, int octets) {
        LoadFigures figures = testbed.run(system, Case.TRIP, octets, plan.run(), false).figures();
        samples.add(key(TRIPS, system.kind(), octets, "p50", "us"), figures.get("p50") / 1e3);
        samples.add(key(TRIPS, system.kind(), octets, "p99", "us"), figures.get("p99") / 1e3);
        return figures.get("p50");
    }

    private static Key key(String what, RelayKind kind, int octets, String metric, String unit) {
        return new Key(what, kind.toString(), octets, 1, metric, unit);
    }

    /** The node's figure in parts of another's, of the same round. */
    private static Key ofOther(String what, int octets, RelayKind other) {
        return key(what, RelayKind.TAMANOIR, octets, "of-" + other, "ratio");
    }

    static List<Target> targets(Samples samples, Plan plan) {
        List<Target> targets = new ArrayList<>();
        for (RelayKind other : List.of(RelayKind.NGINX, RelayKind.BEFORE)) {
            if (!plan.systems().contains(other)) {
                continue;
            }
            double least = other == RelayKind.NGINX ? OF_NGINX : OF_BEFORE;
            for (int octets : plan.packets()) {
                targets.add(Target.atLeast(octets + " octets: echoes of " + other, samples.median(ofOther(ECHOES, octets, other)), least));
                targets.add(Target.atLeast(octets + " octets: one way of " + other, samples.median(ofOther(ONE_WAY, octets, other)), least));
            }
            targets.add(Target.atMost("round trip: p50 of " + other, samples.median(ofOther(TRIPS, Collections.min(plan.packets()), other)), 1 / least));
        }
        return targets;
    }

    /** @return whether it succeeded; otherwise it is among the failures */
    private boolean attempt(String what, Runnable run) {
        try {
            run.run();
            return true;
        } catch (LabException e) {
            failures.add(what + ": " + e.getMessage());
            return false;
        }
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        for (int octets : plan.packets()) {
            out.printf("%n%-26s %12s %11s %14s %8s%n", octets + " octets", "echoes/s", "CPU µs each", "one way, /s", "lost");
            for (RelayKind kind : plan.systems()) {
                out.printf("  %-24s %12s %11s %14s %8s%n", kind, text("%,.0f", key(ECHOES, kind, octets, "echoes", "1/s")),
                        text("%.2f", key(ECHOES, kind, octets, "cpu", "us")), text("%,.0f", key(ONE_WAY, kind, octets, "received", "1/s")),
                        text("%.2f", key(ONE_WAY, kind, octets, "lost", "ratio")));
            }
            for (RelayKind other : plan.systems()) {
                if (other != RelayKind.TAMANOIR) {
                    out.printf("  tamanoir of %-12s %12s %11s %14s%n", other, text("%.2f", ofOther(ECHOES, octets, other)), "",
                            text("%.2f", ofOther(ONE_WAY, octets, other)));
                }
            }
        }
        int least = Collections.min(plan.packets());
        out.printf("%n%-26s %12s %11s%n", "round trip of " + least + " octets, µs", "p50", "p99");
        plan.systems().forEach(kind -> out.printf("  %-24s %12s %11s%n", kind, text("%.1f", key(TRIPS, kind, least, "p50", "us")),
                text("%.1f", key(TRIPS, kind, least, "p99", "us"))));
    }

    private String text(String format, Key key) {
        Double value = samples.median(key);
        return value == null ? "-" : String.format(format, value);
    }
}
