package org.tamanoir.paths.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.paths.topology.Domain;
import org.tamanoir.paths.topology.Place;
import org.tamanoir.paths.topology.Rule;
import org.tamanoir.paths.topology.Topology;

class CostTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long HOUR = 3_600_000;
    private static final Topology TOPOLOGY = new Topology(List.of(new Domain("naples", new Place(40.85, 14.27), Set.of()), new Domain("pisa", new Place(43.72, 10.40), Set.of())), Map.of(),
            List.of(Rule.ofSuffix("na.example", "naples"), Rule.ofSuffix("pi.example", "pisa")));
    private static final double SIZE = SeedTables.SIZE;

    private final SampleBook book = new SampleBook(TOPOLOGY);
    private final Optimiser optimiser = new Optimiser(book);

    private static Sample sample(String from, String to, Metric metric, double value, long age) {
        return new Sample(from, to, "be", metric, value, 0.05, NOW - age, "transfer", from, 0, 0);
    }

    private void add(Sample... samples) {
        for (Sample each : samples) {
            assertThat(book.add(each, NOW)).isNull();
        }
    }

    private Optimiser.NetworkCosts costs(String from, String to) {
        Optimiser.NetworkCosts[] costs = optimiser.getNetworkCosts(from, to, SIZE, NOW, HOUR);
        assertThat(costs).hasSize(1);
        return costs[0];
    }

    @Test
    void aTransferTakesWhatTheSeedsSay() {
        add(sample("slow.pi.example", "se.na.example", Metric.THROUGHPUT, 14.2015, 60_000));
        assertThat(costs("slow.pi.example", "se.na.example").getCost()).isCloseTo(701.94f, within(0.01f));
        assertThat(costs("slow.pi.example", "se.na.example").getError()).as("the accuracy of the tool").isCloseTo(701.94f * 0.05f, within(0.2f));
        for (int i = 0; i < SeedTables.RATES.length; i++) {
            add(sample("se.pi.example", "se.na.example", Metric.THROUGHPUT, SeedTables.RATES[i], 60_000 * (i + 1)));
        }
        assertThat(costs("se.pi.example", "se.na.example").getCost()).isCloseTo(124.297f, within(0.001f));
        assertThat(costs("se.pi.example", "se.na.example").getError()).isCloseTo(16.250f, within(0.001f));
        assertThat(costs("se.pi.example", "se.pi.example").getCost()).isZero();
        assertThat(costs("se.pi.example", "se.pi.example").why().why()).containsExactly("it is the same host");
        assertThat(costs("se.pi.example", "other.pi.example").why().why()).containsExactly("both are in pisa");
    }

    @Test
    void anAnswerSaysByWhichSamplesOfWhatAgeAndByWhichRule() {
        add(sample("a.pi.example", "a.na.example", Metric.THROUGHPUT, 80, 60_000), sample("a.pi.example", "a.na.example", Metric.THROUGHPUT, 90, 120_000));
        assertThat(costs("a.pi.example", "a.na.example").why().why()).containsExactly("a.pi.example to a.na.example", "median 85 Mbit/s, 68 of 100 from 81.6 to 88.4",
                "throughput 80 Mbit/s by transfer of a.pi.example, 60 s old", "throughput 90 Mbit/s by transfer of a.pi.example, 120 s old");
        assertThat(costs("b.pi.example", "b.na.example").why().why()).first().isEqualTo(
                "domain pisa to domain naples, since nothing is measured from b.pi.example to b.na.example");
        assertThat(costs("b.pi.example", "b.na.example").getCost()).isEqualTo(costs("a.pi.example", "a.na.example").getCost());
        assertThat(costs("a.na.example", "a.pi.example").getCost()).as("the way back is another way").isEqualTo(Float.MAX_VALUE);
    }

    @Test
    void withoutDataTheCostIsTheLargestAndTheReasonIsSaid() {
        add(sample("a.pi.example", "a.na.example", Metric.THROUGHPUT, 80, 2 * HOUR));
        Optimiser.NetworkCosts stale = costs("a.pi.example", "a.na.example");
        assertThat(stale.getCost()).isEqualTo(Float.MAX_VALUE);
        assertThat(stale.why().isKnown()).isFalse();
        assertThat(stale.why().why()).containsExactly("the newest throughput from a.pi.example to a.na.example is 7200 s old, and 3600 s are tolerated");
        assertThat(costs("x.example", "y.example").why().why()).containsExactly("no throughput was measured from x.example to y.example or between their domains in class be");
    }

    @Test
    void aTransferOfTheSameSizeAndToolCountsWhereThereIsOne() {
        Sample small = new Sample("a", "b", "be", Metric.THROUGHPUT, 10, 0, NOW, "transfer", "n", 1e6, 1);
        Sample huge = new Sample("a", "b", "be", Metric.THROUGHPUT, 100, 0, NOW, "transfer", "n", 2e9, 8);
        add(small, huge);
        Sample large = new Sample("a", "b", "be", Metric.THROUGHPUT, 90, 0, NOW - 1000, "transfer", "n", 2e9, 1);
        add(large);
        Query one = new Query(3e9, "be", NOW, HOUR, Map.of(), 1);
        assertThat(book.find("a", "b", Metric.THROUGHPUT, one).samples()).containsExactly(large);
        assertThat(book.find("a", "b", Metric.THROUGHPUT, new Query(100e6, "be", NOW, HOUR, Map.of(), 1)).rule()).isEqualTo("a to b, by transfers of other sizes");
        assertThat(book.find("a", "b", Metric.THROUGHPUT, Query.of(3e9, NOW, HOUR))).isEqualTo(
                new Evidence(Metric.THROUGHPUT, "a to b, with 8 streams as the newest has", List.of(huge)));
        assertThat(book.find("a", "b", Metric.THROUGHPUT, new Query(0, "be", NOW, HOUR, Map.of(), 1)).samples()).containsExactly(small, large);
        assertThat(book.find("a", "b", Metric.THROUGHPUT, new Query(0, "be", NOW, HOUR, Map.of(Metric.THROUGHPUT, "iperf"), 0)).rule()).endsWith("is by the tool or the number of streams that is asked for");
        assertThat(book.find("a", "b", Metric.THROUGHPUT, new Query(0, "ef", NOW, HOUR, Map.of(), 0)).isKnown()).isFalse();
    }

    @Test
    void aForecastFollowsAStepThatTheMedianDoesNotSee() {
        for (int i = 0; i < 40; i++) {
            add(sample("a", "b", Metric.THROUGHPUT, i < 10 ? 14 : 80, 1000 * i));
        }
        Query query = Query.of(1e9, NOW, HOUR);
        assertThat(new TransferTime(book, false).between("a", "b", query).value()).isCloseTo(100, within(0.1));
        Estimate forecast = new TransferTime(book, true).between("a", "b", query);
        assertThat(forecast.value()).isCloseTo(571.4, within(0.1));
        assertThat(forecast.why().get(1)).startsWith("forecast 14 Mbit/s by last value");
    }

    /** Who lies, or has a wrong clock, is refused or outvoted. */
    @Test
    void oneSourceDoesNotDecideAloneAndNonsenseIsRefused() {
        for (int i = 0; i < 50; i++) {
            add(new Sample("a", "b", "be", Metric.THROUGHPUT, 10_000, 0, NOW, "transfer", "liar", 0, 0));
        }
        for (String honest : List.of("n1", "n2")) {
            add(new Sample("a", "b", "be", Metric.THROUGHPUT, 80, 0, NOW, "transfer", honest, 0, 0));
        }
        assertThat(book.find("a", "b", Metric.THROUGHPUT, Query.of(0, NOW, HOUR)).spread().median()).isEqualTo(80);
        assertThat(book.add(sample("a.na.example", "a.pi.example", Metric.ROUND_TRIP, 0.5, 0), NOW)).startsWith("light needs 3.01 ms there and back");
        assertThat(book.add(sample("a.na.example", "a.pi.example", Metric.ROUND_TRIP, 8, 0), NOW)).isNull();
        assertThat(book.add(sample("a", "b", Metric.THROUGHPUT, 80, -HOUR), NOW)).isEqualTo("it is from 3600 s ahead: the clock of a is wrong, or ours");
        for (double bad : new double[] {Double.NaN, -1, 0, Double.POSITIVE_INFINITY}) {
            assertThat(book.add(sample("a", "b", Metric.THROUGHPUT, bad, 0), NOW)).isNotNull();
        }
        assertThat(book.add(sample("a", "b", Metric.LOSS, 1.1, 0), NOW)).isEqualTo("1.1 is no ratio from 0 to 1");
        assertThat(book.samples("a", "b", "be", Metric.THROUGHPUT)).hasSize(52);
    }

    @Test
    void theNewestSamplesStay() {
        for (int i = 0; i < 200; i++) {
            int age = i * 7919 % 200;
            add(sample("a", "b", Metric.THROUGHPUT, 1 + age, age * 1000));
        }
        assertThat(book.samples("a", "b", "be", Metric.THROUGHPUT)).extracting(Sample::value).containsExactlyElementsOf(
                IntStream.range(1, 1 + SampleBook.MOST_SAMPLES).mapToObj(value -> (double) value).toList());
    }

    /** Case 6: figure 8 of GlueDomains. Its value for ASTRO has a digit wrong: 1477.7, or a jitter of 12 instead of 142. */
    @ParameterizedTest
    @MethodSource("org.tamanoir.paths.cost.SeedTables#figure8")
    void netCostIsFigureEight(SeedTables.Site site) {
        assertThat(site.netCost()).isCloseTo(site.solved(), within(1e-3));
        assertThat(Math.abs(site.netCost() - site.paper()) / site.paper() < 0.02).isEqualTo(!site.name().equals("ASTRO"));
        assertThat(NetCost.of(SeedTables.MSS, 2.993, 12, 6250)).isCloseTo(1447.663, within(1e-3));
    }

    /** Wrong: memory that grows with the number of paths. */
    @Test
    void manyPathsHaveFewerSamplesEach() {
        for (int i = 0; i <= SampleBook.MOST_SAMPLES; i++) {
            add(sample("a", "b", Metric.THROUGHPUT, 1 + i, 1000 - i));
        }
        assertThat(book.samples("a", "b", "be", Metric.THROUGHPUT)).hasSize(SampleBook.MOST_SAMPLES);
        for (int i = 0; i < 99_999; i++) {
            add(sample("a" + i, "b", Metric.THROUGHPUT, 80, 0));
        }
        add(sample("a", "b", Metric.THROUGHPUT, 100, 0));
        assertThat(book.samples("a", "b", "be", Metric.THROUGHPUT)).hasSize(20).first().extracting(Sample::value).isEqualTo(100.0);
    }

    @Test
    void netCostRanksTheSitesOfFigureEight() {
        List<Estimate> ranked = SeedTables.ranked("NOWHERE");
        assertThat(ranked).extracting(Estimate::from).containsExactly("VIRGO", "CENTRO", "ASTRO", "GSC", "NOWHERE");
        assertThat(ranked.get(3).value()).isCloseTo(18163.629, within(1e-3));
        assertThat(ranked.get(4).isKnown()).isFalse();
        assertThat(ranked.get(4).value()).isEqualTo(Float.MAX_VALUE);
        for (double[] bad : new double[][] {{0, 1, 1, 1}, {1024, 0, 1, 1}, {1024, 1, -1, 1}, {1024, 1, 1, Double.NaN}}) {
            assertThatThrownBy(() -> NetCost.of((int) bad[0], bad[1], bad[2], bad[3])).hasMessageStartingWith("EE-408 ");
        }
    }

    /** The arithmetic of figures 7, 9 and 10. */
    @Test
    void theTransfersOfThePaperTakeWhatItPrints() {
        assertThat(1_241_186_304 / 1744.02 / 1024).isCloseTo(695.0, within(0.1));
        assertThat(1_196_621_824 / 11129.29 / 1024).isCloseTo(105.0, within(0.1));
        assertThat(SIZE * 8 / 701.94).isCloseTo(14.20, within(0.01));
        assertThat(SIZE * 8 / 120).as("figure 10 prints 81").isCloseTo(83.1, within(0.1));
        assertThat(701.94 / 120).isCloseTo(5.85, within(0.01));
    }
}
