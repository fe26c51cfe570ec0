package org.tamanoir.benchmarks.relay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.load.LoadSender.Trips;
import org.tamanoir.benchmarks.load.StreamRun;
import org.tamanoir.benchmarks.report.Samples;
import org.tamanoir.lab.LabException;

/**
 * Runs the plan: every round measures every case with every system, one system directly after the other and in an order that turns, so that
 * whatever changes on the machine meanwhile changes it for all.
 */
final class RelayBench {
    /** Enough for TCP's windows to open. */
    private static final Duration WARM_UP = Duration.ofMillis(300);
    private static final Duration CHECK = Duration.ofSeconds(1);

    private final RelayPlan plan;
    private final RelayTestbed testbed;
    private final Consumer<String> progress;
    private Samples samples = new Samples();
    private final List<String> failures = new ArrayList<>();
    private final List<RelaySystem> systems = new ArrayList<>();
    private int done;

    /** @param progress told what is being done, a line at a time */
    RelayBench(RelayPlan plan, RelayTestbed testbed, Consumer<String> progress) {
        this.plan = plan;
        this.testbed = testbed;
        this.progress = progress;
    }

    /** Starts the systems, checks that each passes on what it gets, and measures. @throws LabException if a system does not start */
    void run() {
        for (RelayKind kind : plan.systems()) {
            progress.accept("starting " + kind);
            systems.add(kind.start(testbed, plan.against()));
        }
        for (RelaySystem system : systems) {
            for (int packet : plan.packets()) {
                progress.accept("checking " + system + ", " + packet + " octets");
                attempt(system + ", " + packet + " octets, checking every octet",
                        () -> run(system, packet, Collections.max(plan.streams())).check(CHECK));
            }
        }
        for (int round = -plan.warmUps(); round < plan.rounds(); round++) {
            if (round == 0) {
                samples = new Samples();
            }
            round(round);
        }
    }

    private void round(int round) {
        plan.systems().forEach(kind -> place(plan.throughput(), kind));
        int turn = round;
        for (int packet : plan.packets()) {
            for (int streams : plan.streams()) {
                streams(round, turn++, packet, streams);
            }
        }
        plan.systems().forEach(kind -> place(plan.roundTrip(), kind));
        Map<RelayKind, Double> trips = new EnumMap<>(RelayKind.class);
        for (RelaySystem system : turned(turn)) {
            report(round, system + ", round trips");
            attempt(system + ", round trips, " + name(round), () -> trips.put(system.kind(), (double) roundTrips(system).p50()));
        }
        Figure.addTripRatios(samples, trips);
    }

    private void place(Placement placement, RelayKind kind) {
        systems.stream().filter(system -> system.kind() == kind).forEach(system -> placement.apply(testbed, system.processes()));
    }

    private void streams(int round, int turn, int packet, int streams) {
        Map<RelayKind, Double> rates = new EnumMap<>(RelayKind.class);
        Map<RelayKind, Double> cpu = new EnumMap<>(RelayKind.class);
        for (RelaySystem system : turned(turn)) {
            String what = system + ", " + packet + " octets, " + streams + " streams";
            report(round, what);
            attempt(what + ", " + name(round), () -> {
                StreamRun.Figures figures = run(system, packet, streams).measure(WARM_UP, plan.run());
                rates.put(system.kind(), figures.octetsPerSecond());
                figures.cpuSecondsPerGigabyte().ifPresent(seconds -> cpu.put(system.kind(), seconds));
                Figure.addTo(samples, system.kind(), packet, streams, figures);
            });
        }
        Figure.addRatios(samples, packet, streams, rates);
        Figure.addCpuRatios(samples, packet, streams, cpu);
    }

    private StreamRun run(RelaySystem system, int packet, int streams) {
        return new StreamRun(testbed.sender(), testbed.sink(), system.load(), system.processes(), packet, streams);
    }

    private Trips roundTrips(RelaySystem system) {
        Trips trips = testbed.sender().ping(system.echo(), testbed.sink().echo(), WARM_UP, plan.run());
        Figure.addTo(samples, system.kind(), trips);
        return trips;
    }

    private List<RelaySystem> turned(int by) {
        List<RelaySystem> turned = new ArrayList<>(systems);
        Collections.rotate(turned, -by);
        return turned;
    }

    /** Rounds count from 0; those before warm up. */
    private static String name(int round) {
        return round < 0 ? "warm-up before round 1" : "round " + (round + 1);
    }

    private void report(int round, String what) {
        progress.accept(name(round) + " of " + plan.rounds() + ", " + 100 * done++ / plan.count() + " %: " + what);
    }

    private void attempt(String what, Runnable run) {
        try {
            run.run();
        } catch (LabException e) {
            failures.add(what + ": " + e.getMessage());
            progress.accept(ErrorCode.INTERNAL + " " + what + ": " + e.getMessage());
        }
    }

    Samples samples() {
        return samples;
    }

    /** Runs that gave no figure, and why. */
    List<String> failures() {
        return List.copyOf(failures);
    }
}
