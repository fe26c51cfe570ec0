package org.tamanoir.paths.cost;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.tamanoir.paths.topology.Topology;

/** What the seeds print and what is solved from it. For tests, and for {@code bench observatory}. */
public final class SeedTables {
    /** Of figure 8, octets. */
    public static final int MSS = 1024;
    /** Of the file of GlueDomains, MBy. */
    public static final double SIZE = 1246.07658;
    /** Of its slow transfer, Mbit/s. */
    public static final double SLOW = 14.2015;
    /** A series with one slow transfer and one that was disturbed, Mbit/s. */
    public static final double[] RATES = {14.2, 81.0, 83.1, 79.5, 85.9, 80.2, 78.8, 82.4, 60.0};
    private static final long NOW = 1_000_000_000_000L;
    private static final long TOLERANCE = 3_600_000;
    private static final String SOURCE = "slow";
    private static final String DESTINATION = "CEINGE";

    private SeedTables() {
    }

    /**
     * A line of figure 8 of GlueDomains.
     *
     * @param roundTrip milliseconds @param jitter microseconds @param loss millionths
     * @param paper  NetCost as it is printed
     * @param solved as the numbers of the line give it
     */
    public record Site(String name, double roundTrip, double jitter, double loss, double paper, double solved) {
        public double netCost() {
            return NetCost.of(MSS, roundTrip, jitter, loss);
        }
    }

    public static Stream<Site> figure8() {
        return Stream.of(new Site("VIRGO", 0.890, 174, 0, 0.15, 0.15200), new Site("ASTRO", 2.993, 142, 6250, 1447, 1477.702), new Site("CENTRO", 2.442, 2314, 0, 5.5, 5.52417),
                new Site("GSC", 2.308, 12, 40186, 18163, 18163.629));
    }

    /** The sites of figure 8 in the order of their cost. @param more sites of which nothing is known */
    public static List<Estimate> ranked(String... more) {
        SampleBook book = new SampleBook(Topology.NONE);
        List<String> names = new ArrayList<>();
        figure8().forEach(site -> {
            names.add(0, site.name());
            book.add(sample(site.name(), Metric.ROUND_TRIP, site.roundTrip()), NOW);
            book.add(sample(site.name(), Metric.JITTER, site.jitter() / 1000), NOW);
            book.add(sample(site.name(), Metric.LOSS, site.loss() / 1e6), NOW);
        });
        names.addAll(List.of(more));
        return new Optimiser(book).rank(names, DESTINATION, Query.of(0, NOW, TOLERANCE), new NetCost(book, MSS));
    }

    private static Sample sample(String from, Metric metric, double value) {
        return new Sample(from, DESTINATION, "be", metric, value, 0.05, NOW, "transfer", from, 0, 0);
    }

    /** {@code getNetworkCosts} of the file by these throughputs, Mbit/s. */
    public static Optimiser.NetworkCosts costs(double... rates) {
        SampleBook book = new SampleBook(Topology.NONE);
        for (double rate : rates) {
            book.add(sample(SOURCE, Metric.THROUGHPUT, rate), NOW);
        }
        return new Optimiser(book).getNetworkCosts(SOURCE, DESTINATION, SIZE, NOW, TOLERANCE)[0];
    }

    /**
     * A window of table 2 of DataGRID.
     *
     * @param roundTrip milliseconds @param mbits the rate, Mbit/s
     * @param paper     MB as it is printed; for CERN at 1 Gbit/s that is the other column's value again
     * @param solved    MB
     */
    public record WindowSize(double roundTrip, double mbits, double paper, double solved) {
        public boolean isMisprint() {
            return Math.abs(paper - solved) > 0.005;
        }
    }

    public static Stream<WindowSize> table2() {
        return Stream.of(new WindowSize(14.5, 1000, 1.81, 1.8125), new WindowSize(14.5, 750, 1.36, 1.359375), new WindowSize(21.4, 460, 1.23, 1.2305), new WindowSize(21.4, 1000, 1.23, 2.675));
    }
}
