package org.tamanoir.benchmarks.fleet;

import java.io.PrintWriter;
import java.util.List;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.parts.MeasuredOutcome;
import org.tamanoir.benchmarks.parts.Outcome;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.fleet.simulation.LargeFleet;
import org.tamanoir.fleet.simulation.LargeFleet.Outage;
import org.tamanoir.fleet.simulation.LargeFleet.Spread;

/** 1,000 nodes on a virtual clock, by the cores of the server and of the agent: {@link LargeFleet}. */
final class SimulatedFleets extends MeasuredOutcome {
    private static final String OUTAGE = "after an outage";
    private static final String WITHOUT = "after an outage, without jitter";
    private static final double MILLIS = 1000;
    /** A revocation is at 99 of 100 nodes within so many seconds. */
    private static final double REVOKED = 10;
    /** Of the usual. */
    private static final double MOST_PEAK = 2;

    private SimulatedFleets(Measurements measured) {
        super("simulation", measured);
    }

    static Outcome run(FleetPlan plan, Consumer<String> progress) {
        SimulatedFleets fleets = new SimulatedFleets(new Measurements(progress));
        for (int round = 0; round < plan.rounds().count(); round++) {
            fleets.measured.doing("seed " + (plan.seed() + round));
            fleets.fleet(plan, plan.seed() + round);
        }
        fleets.outage(WITHOUT, new LargeFleet(plan.seed(), false).outage(plan.outageMillis()));
        return fleets;
    }

    private void fleet(FleetPlan plan, long seed) {
        LargeFleet fleet = new LargeFleet(seed, true);
        add("sizes", "what an operator sends", "kB", fleet.stateOctets() / MILLIS);
        add("sizes", "what a node is given", "B", fleet.answerOctets());
        outage(OUTAGE, fleet.outage(plan.outageMillis()));
        spread("revocation", fleet.revoke());
        spread("generation, three rings that soak for 60 s", fleet.release(1, false));
        spread("generation, at once", fleet.release(2, true));
    }

    private void outage(String what, Outage outage) {
        add(what, "requests before", "1/s", outage.steady());
        add(what, "most requests in a second", "1/s", outage.peak());
        add(what, "of those before", "times", outage.peak() / outage.steady());
        add(what, "seconds with more than 1.5 times", "s", outage.crowd());
        add(what, "until all have reported", "s", outage.back() / MILLIS);
        add(what, "most octets in a second, both ways", "kB", outage.octets() / MILLIS);
    }

    private void spread(String what, Spread spread) {
        add(what, "50 of 100 nodes have it", "s", spread.p50() / MILLIS);
        add(what, "99 of 100 nodes have it", "s", spread.p99() / MILLIS);
        add(what, "all nodes have it", "s", spread.all() / MILLIS);
    }

    private void add(String what, String metric, String unit, double value) {
        measured.add(key(what, metric, unit), value);
    }

    private static Key key(String what, String metric, String unit) {
        return new Key(what, "simulated", 0, LargeFleet.NODES, metric, unit);
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atMost("seconds until a revocation is in force at 99 of 100 nodes", samples().median(key("revocation", "99 of 100 nodes have it", "s")), REVOKED),
                Target.atMost("requests in the busiest second after an outage, of those before", samples().median(key(OUTAGE, "of those before", "times")), MOST_PEAK));
    }

    @Override
    public void print(PrintWriter out) {
        Table.printRanges(out, rows());
        out.printf("%n  simulated: %d nodes with %d services each in a version of their own; a way of 1 to 50 ms, a server that is away answers nothing%n", LargeFleet.NODES, LargeFleet.SERVICES);
    }
}
