package org.tamanoir.benchmarks.coalesce;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tamanoir.benchmarks.load.LoadFigures;
import org.tamanoir.benchmarks.load.LoadTool;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Report;
import org.tamanoir.benchmarks.report.Samples.Key;
import org.tamanoir.benchmarks.report.Table;
import org.tamanoir.benchmarks.report.Target;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabRequirements;

/**
 * Packets of 64 octets through two nodes, with coalesce and with a service that lets each pass alone. How many a second arrive by a link that carries so
 * many packets and no more; and on the same link without the limit, how long a datagram takes from the client to the server. And how many of such packets
 * TCP has in one of the link's, where nobody joins them.
 */
public final class CoalesceBench {
    private static final double LEAST_TIMES = 3;
    private static final double MOST_ADDED_MILLIS = 1;
    private static final Duration WARM_UP = Duration.ofMillis(500);

    /** How packets go. */
    private enum Way {
        PLAIN("monitoring", 0x5402, "udp-blast"), COALESCE("coalesce", 0x5410, "udp-blast"), TCP("tcp", 0x5402, "tcp-blast");

        private final String name;
        private final int typeId;
        private final String load;

        Way(String name, int typeId, String load) {
            this.name = name;
            this.typeId = typeId;
            this.load = load;
        }

        Key key(String benchCase, String metric, String unit) {
            return new Key(benchCase, name, CoalescePlan.OCTETS, 1, metric, unit);
        }

        Key rate(String metric, String unit) {
            return key("limited-link", metric, unit);
        }

        Key time(int rate, String metric, String unit) {
            return key("at-" + rate, metric, unit);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final List<Way> DATAGRAMS = List.of(Way.PLAIN, Way.COALESCE);

    private final CoalescePlan plan;
    private final Measurements measured;

    public CoalesceBench(CoalescePlan plan, Consumer<String> progress) {
        this.plan = plan;
        this.measured = new Measurements(progress);
    }

    /** @throws LabException if the laboratory cannot be had; the message names the remedy */
    public Report run() {
        LabRequirements.check().installMissing().orThrow();
        try (CoalesceSite site = new CoalesceSite();
                PacedStream paced = new PacedStream(site.client, site.server, site.entry, site.destination)) {
            measured.rounds(1, plan.rounds(), round -> measured.attempt(Measurements.name(round), () -> round(site, paced, Math.max(0, round))));
        }
        return measured.report(List.of(
                Target.atLeast("packets a second by a link of " + plan.limit() + " packets a second, of those without", median(Way.COALESCE.rate("of-plain", "ratio")), LEAST_TIMES),
                added(CoalescePlan.LOW, "p50"), added(CoalescePlan.LOW, "p99"), added(plan.high(), "p50"), added(plan.high(), "p99")));
    }

    private Double median(Key key) {
        return measured.samples().median(key);
    }

    private Target added(int rate, String part) {
        return Target.atMost("milliseconds that it adds to the " + part + " at " + rate + " datagrams a second", median(Way.COALESCE.time(rate, "added-" + part, "ms")),
                MOST_ADDED_MILLIS);
    }

    private void round(CoalesceSite site, PacedStream paced, int round) {
        site.limit(plan.limit());
        Map<Way, Double> rates = new EnumMap<>(Way.class);
        for (Way way : Measurements.turned(DATAGRAMS, round)) {
            run(site, way);
            rates.put(way, site.load.count().perSecond("packets"));
        }
        rates.forEach((way, rate) -> {
            measured.add(way.rate("packets", "1/s"), rate);
            measured.add(way.rate("of-plain", "ratio"), rate / rates.get(Way.PLAIN));
        });
        site.limit(0);
        long before = site.carried();
        long packets = run(site, Way.TCP).get("all");
        measured.add(Way.TCP.key("free-link", "packets in one on the link", "packets"), packets / (double) (site.carried() - before));
        paced.drain();
        for (int rate : new int[] {CoalescePlan.LOW, plan.high()}) {
            times(site, paced, rate, round);
        }
    }

    private LoadFigures run(CoalesceSite site, Way way) {
        return site.tool.run(site.client, "0-1", new LoadTool.Client(way.load, site.entry, site.destination.getAddress(), CoalescePlan.OCTETS,
                plan.run(), WARM_UP, LoadTool.Client.ANY_HOPS, 1, false, Integer.toString(way.typeId), "0"));
    }

    private void times(CoalesceSite site, PacedStream paced, int rate, int round) {
        Map<Way, PacedStream.Times> times = new EnumMap<>(Way.class);
        for (Way way : Measurements.turned(DATAGRAMS, round)) {
            long before = site.carried();
            PacedStream.Times taken = paced.run(way.typeId, rate, plan.run());
            times.put(way, taken);
            measured.add(way.time(rate, "p50", "ms"), taken.p50());
            measured.add(way.time(rate, "p99", "ms"), taken.p99());
            measured.add(way.time(rate, "packets on the link", "1/s"), (site.carried() - before) / (plan.seconds() + PacedStream.WARM_UP.toMillis() / 1e3));
        }
        PacedStream.Times plain = times.get(Way.PLAIN);
        PacedStream.Times joined = times.get(Way.COALESCE);
        measured.add(Way.COALESCE.time(rate, "added-p50", "ms"), joined.p50() - plain.p50());
        measured.add(Way.COALESCE.time(rate, "added-p99", "ms"), joined.p99() - plain.p99());
    }

    /** The figures for people. */
    public void print(PrintWriter out) {
        Table.printCases(out, measured.samples().rows());
    }
}
