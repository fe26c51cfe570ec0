package org.tamanoir.paths.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import org.tamanoir.paths.cost.Optimiser.BestCeSes;
import org.tamanoir.paths.topology.Topology;

class OptimiserTest {
    private static final long NOW = 1_000_000_000_000L;
    private static final long TOLERANCE = 600_000;

    private static Sample sample(String from, String to, Metric metric, double value, long age) {
        return new Sample(from, to, "be", metric, value, 0.1, NOW - age, "tool", "node", 0, 0);
    }

    /** Case 9: the two values of the facts, and the ends of the range. */
    @Example
    void closenessIsWhatTheFormulaSays() {
        assertThat(Closeness.of(0.5, 750, 14.5, 0)).isCloseTo(0.5791, within(5e-5));
        assertThat(Closeness.of(0.5, 460, 21.4, 0.004)).isCloseTo(0.3861, within(5e-5));
        SampleBook book = new SampleBook(Topology.NONE);
        Closeness closeness = new Closeness(book, 0.5);
        assertThat(closeness.between("a", "a", Query.of(0, NOW, TOLERANCE)).value()).isEqualTo(1);
        assertThat(closeness.between("a", "b", Query.of(0, NOW, TOLERANCE)).value()).isZero();
        book.add(sample("a", "b", Metric.THROUGHPUT, 750, 0), NOW);
        book.add(sample("a", "b", Metric.ROUND_TRIP, 14.5, 0), NOW);
        assertThat(closeness.between("a", "b", Query.of(0, NOW, TOLERANCE)).value()).isCloseTo(0.5791, within(5e-5));
        book.add(sample("a", "b", Metric.LOSS, 1, 0), NOW);
        assertThat(closeness.between("a", "b", Query.of(0, NOW, TOLERANCE)).value()).isZero();
    }

    @Property(tries = 500)
    void closenessIsFromZeroToOneAndBetterPathsAreCloser(@ForAll @DoubleRange(max = 1) double alpha, @ForAll @DoubleRange(max = 2000) double mbits,
            @ForAll @DoubleRange(min = 0.01, max = 1000) double millis, @ForAll @DoubleRange(max = 1) double loss) {
        double here = Closeness.of(alpha, mbits, millis, loss);
        assertThat(here).isBetween(0.0, 1.0);
        assertThat(Closeness.of(alpha, mbits + 50, millis, loss)).isGreaterThanOrEqualTo(here);
        assertThat(Closeness.of(alpha, mbits, millis + 5, loss)).isLessThanOrEqualTo(here);
        assertThat(Closeness.of(alpha, mbits, millis, Math.min(1, loss + 0.01))).isLessThanOrEqualTo(here);
    }

    /** The error against the formula itself, a little to both sides. */
    @Property(tries = 300)
    void theErrorIsTheSlopeTimesTheErrorsOfTheSamples(@ForAll @DoubleRange(min = 10, max = 900) double mbits, @ForAll @DoubleRange(min = 1, max = 200) double millis,
            @ForAll @DoubleRange(min = 0.01, max = 0.2) double loss) {
        SampleBook book = new SampleBook(Topology.NONE);
        book.add(sample("a", "b", Metric.THROUGHPUT, mbits, 0), NOW);
        book.add(sample("a", "b", Metric.ROUND_TRIP, millis, 0), NOW);
        book.add(sample("a", "b", Metric.LOSS, loss, 0), NOW);
        double step = 1e-4;
        double square = 0;
        for (double[] each : new double[][] {{step, 0, 0}, {0, step, 0}, {0, 0, step}}) {
            double up = Closeness.of(0.3, mbits * (1 + each[0]), millis * (1 + each[1]), loss * (1 + each[2]));
            double down = Closeness.of(0.3, mbits * (1 - each[0]), millis * (1 - each[1]), loss * (1 - each[2]));
            square += Math.pow((up - down) / (2 * step) * 0.1, 2);
        }
        assertThat(new Closeness(book, 0.3).between("a", "b", Query.of(0, NOW, TOLERANCE)).error()).isCloseTo(Math.sqrt(square), within(1e-6));
    }

    /** Case 9: as the seed defines it, with all that can be chosen tried one after the other. */
    @Property(tries = 1000)
    void theBestCeIsThatOfBruteForce(@ForAll long seed) {
        assertThat(BruteForce.compare(seed)).as("the best computing element").isNull();
    }

    @Example
    void whatCannotBeAskedIsRefusedAndWhatIsNotKnownIsSaid() {
        Optimiser optimiser = new Optimiser(new SampleBook(Topology.NONE));
        List<List<String>> one = List.of(List.of("se"));
        assertThatThrownBy(() -> optimiser.getBestCeSes(List.of(), one, 0.5, 1, List.of(), List.of(), NOW)).hasMessage("EE-408 CElist has 0 entries; it must have from 1 to 10000");
        assertThatThrownBy(() -> optimiser.getBestCeSes(List.of("ce"), List.of(List.of("se"), List.of()), 0.5, 1, List.of(), List.of(), NOW))
                .hasMessage("EE-408 SEmx: the row of file 2 has 0 entries; it must have from 1 to 10000");
        assertThatThrownBy(() -> optimiser.getBestCeSes(List.of("ce"), one, 1.5, 1, List.of(), List.of(), NOW)).hasMessage("EE-408 alpha is 1.5; it must be from 0 to 1");
        assertThatThrownBy(() -> optimiser.getBestCeSes(List.of("ce"), one, 0.5, 1, List.of("rtt"), List.of(), NOW)).hasMessageStartingWith("EE-408 ");
        assertThatThrownBy(() -> optimiser.getNetworkCosts("a", "b", -1, NOW, 1)).hasMessageStartingWith("EE-408 a size is -1");
        List<String> many = IntStream.range(0, 1001).mapToObj(i -> "h" + i).toList();
        assertThatThrownBy(() -> optimiser.getBestCeSes(many, List.of(many), 0.5, 1, List.of(), List.of(), NOW)).hasMessageStartingWith("EE-408 the request is for 1002001 paths");
        assertThatThrownBy(() -> optimiser.rankAll(many, many, Query.of(0, NOW, 1), new Closeness(new SampleBook(Topology.NONE), 0))).hasMessageContaining("a request may have 10000 pairs");
        BestCeSes nothing = optimiser.getBestCeSes(List.of("ce"), one, 0.5, 1, List.of(), List.of(), NOW);
        assertThat(nothing.isStale()).isTrue();
        assertThat(nothing.s()).isZero();
    }

    @Example
    void theToolsThatAreAskedForCount() {
        SampleBook book = new SampleBook(Topology.NONE);
        book.add(sample("se1", "ce", Metric.THROUGHPUT, 900, 0), NOW);
        book.add(new Sample("se2", "ce", "be", Metric.THROUGHPUT, 100, 0, NOW, "iperf", "node", 0, 0), NOW);
        List<List<String>> rows = List.of(List.of("se1", "se2"));
        Optimiser optimiser = new Optimiser(book);
        assertThat(optimiser.getBestCeSes(List.of("ce"), rows, 1, TOLERANCE, List.of(), List.of(), NOW).bestSes()).containsExactly("se1");
        assertThat(optimiser.getBestCeSes(List.of("ce"), rows, 1, TOLERANCE, List.of("", "iperf", ""), List.of(), NOW).bestSes()).containsExactly("se2");
    }

    @Example
    void fragmentsAreGatheredWhereThatTakesLeast() {
        SampleBook book = new SampleBook(Topology.NONE);
        for (String[] pair : new String[][] {{"a", "b", "800"}, {"b", "a", "100"}, {"c", "a", "100"}, {"c", "b", "100"}, {"a", "c", "10"}}) {
            book.add(sample(pair[0], pair[1], Metric.THROUGHPUT, Double.parseDouble(pair[2]), 0), NOW);
        }
        List<Estimate> places = new Optimiser(book).gather(Map.of("a", 100e6, "b", 200e6, "c", 50e6), List.of("a", "b", "c"), NOW, TOLERANCE);
        assertThat(places).extracting(Estimate::to).containsExactly("b", "a", "c");
        assertThat(places.get(0).value()).isCloseTo(1 + 4, within(1e-9));
        assertThat(places.get(1).value()).isCloseTo(16 + 4, within(1e-9));
        assertThat(places.get(2).isKnown()).as("nothing is known from b to c").isFalse();
    }
}
