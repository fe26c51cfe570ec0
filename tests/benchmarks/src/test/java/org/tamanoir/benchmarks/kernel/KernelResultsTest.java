package org.tamanoir.benchmarks.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.tamanoir.benchmarks.kernel.KernelPlan.Part;
import org.tamanoir.benchmarks.kernel.KernelPlan.Placement;
import org.tamanoir.benchmarks.kernel.KernelPlan.Way;
import org.tamanoir.benchmarks.kernel.KernelResults.Case;
import org.tamanoir.benchmarks.kernel.KernelResults.Run;
import org.tamanoir.benchmarks.plot.Chart.Series;
import org.tamanoir.benchmarks.report.MeasuredAlike;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Target;

class KernelResultsTest {
    private static final int OCTETS = 640;
    /** What every way reaches where each target just holds. */
    private static final Map<Case, Map<Way, Double>> BOUNDS = Map.of(
            Case.UDP_WINDOW, Map.of(Way.PLAIN, 100.0, Way.KERNEL, 90.0, Way.USER_SPACE, 50.0),
            Case.UDP_BLAST, Map.of(Way.PLAIN, 100.0, Way.KERNEL, 95.0),
            Case.TCP_STREAM, Map.of(Way.PLAIN, 100.0, Way.KERNEL, 90.0, Way.USER_SPACE, 60.0),
            Case.RULES_WINDOW, Map.of(Way.TEN_RULES, 100.0, Way.MANY_RULES, 90.0));
    private static final double CHANGE = 5;

    private final Measurements measured = new Measurements(line -> { });

    private KernelResults results(Placement placement) {
        return new KernelResults(new KernelPlan(EnumSet.allOf(Part.class), List.of(OCTETS), List.of(OCTETS), List.of(), 1, Duration.ofSeconds(1), 1,
                placement), measured);
    }

    /** Each way at its bound, but one that has a part of it. What is not compared with this placement says nothing. */
    private List<Target> targets(Placement placement, Case changed, Way way, double part) {
        KernelResults results = results(placement);
        BOUNDS.forEach((what, ways) -> {
            Map<Way, Run> runs = new EnumMap<>(Way.class);
            ways.forEach((each, value) -> {
                double rate = what == changed && each == way ? value * part : value;
                runs.put(each, placement == Placement.ONE && what != Case.UDP_BLAST ? new Run(1, rate, 1, 1) : new Run(rate, 1, 1, 1));
            });
            results.add(what, OCTETS, runs);
        });
        RuleChange.RULES.forEach(rules -> RuleChange.DIRECTIONS.forEach(direction ->
                measured.add(KernelResults.change(direction, rules, "most", "ms"), CHANGE)));
        return results.targets(measured.samples());
    }

    @ParameterizedTest
    @EnumSource
    void eachCanBeMissed(Placement placement) {
        MeasuredAlike.assertThatEachCanBeMissed(results(placement)::targets);
    }

    @ParameterizedTest
    @EnumSource
    void atTheirBoundsAllHold(Placement placement) {
        assertThat(targets(placement, null, null, 1)).hasSize(6 + 4).allMatch(Target::holds);
    }

    @ParameterizedTest
    @CsvSource({"UDP_WINDOW, KERNEL, 0.99, '32 outstanding: kernel of plain|32 outstanding: kernel of user space'",
        "UDP_WINDOW, USER_SPACE, 1.01, 32 outstanding: kernel of user space", "UDP_WINDOW, PLAIN, 1.01, 32 outstanding: kernel of plain",
        "UDP_BLAST, KERNEL, 0.99, one way: kernel of plain", "TCP_STREAM, PLAIN, 1.01, octets: kernel of plain",
        "TCP_STREAM, USER_SPACE, 1.01, octets: kernel of user space", "RULES_WINDOW, MANY_RULES, 0.99, echoes of ten rules"})
    void aRateBeyondABoundMissesItsTargetsAndNoOther(Case what, Way way, double part, String names) {
        List<String> missed = targets(Placement.ONE, what, way, part).stream().filter(Target::isMissed).map(Target::name).toList();
        String[] expected = names.split("\\|");
        assertThat(missed).hasSameSizeAs(expected).allMatch(name -> Arrays.stream(expected).anyMatch(name::contains));
    }

    @Test
    void aRuleThatIsInForceTooLateMissesItsTarget() {
        measured.add(KernelResults.change("closed", 10_000, "most", "ms"), CHANGE * 1.01);
        assertThat(results(Placement.ONE).targets(measured.samples())).filteredOn(Target::isMissed).singleElement()
                .satisfies(target -> assertThat(target.name()).contains("10000 rules closed"));
    }

    @Test
    void whatWasNotMeasuredNeitherHoldsNorIsMissed() {
        assertThat(results(Placement.ONE).targets(measured.samples())).hasSize(6 + 4).noneMatch(Target::holds).noneMatch(Target::isMissed);
    }

    /** Wrong: a ratio of sums alone, in which the ends' part hides what the node costs. */
    @Test
    void whatTheNodeItselfCostsStandsBesideTheWhole() {
        results(Placement.ONE).add(Case.UDP_WINDOW, OCTETS, Map.of(Way.PLAIN, new Run(1, 1e6, 1000, Double.NaN), Way.KERNEL, new Run(1, 8e5, 1250, 10),
                Way.USER_SPACE, new Run(1, 25e4, 4000, 2500)));
        assertThat(value(Way.KERNEL, "per-cpu-of-user-space")).isEqualTo(3.2);
        assertThat(value(Way.KERNEL, "added-to-plain")).isEqualTo(250);
        assertThat(value(Way.USER_SPACE, "added-to-plain")).isEqualTo(3000);
        assertThat(value(Way.USER_SPACE, "node-cpu-per-packet")).isEqualTo(2500);
        assertThat(value(Way.KERNEL, "node-cpu-of-user-space")).isEqualTo(0.004);
        assertThat(value(Way.PLAIN, "node-cpu-per-packet")).as("a router has no process").isNull();
        assertThat(value(Way.KERNEL, "node-cpu-of-plain")).isNull();
    }

    private Double value(Way way, String metric) {
        return measured.samples().rows().stream().filter(row -> row.system().equals(way.toString()) && row.metric().equals(metric))
                .map(row -> row.value()).findFirst().orElse(null);
    }

    @Test
    void eachWayIsALineOfHalfItsRoundTripsAndWhatWasNotMeasuredIsNotThere() {
        KernelPlan plan = new KernelPlan(Set.of(Part.TCP), List.of(64), List.of(64, 640), List.of(6400), 1, Duration.ofSeconds(1), 1, Placement.ONE);
        for (int octets : plan.tripFrames()) {
            measured.add(KernelResults.key(Case.TCP_TRIP, Way.KERNEL, octets, "p50", "us"), 2);
        }
        measured.add(KernelResults.key(Case.TCP_TRIP, Way.USER_SPACE, 640, "p50", "us"), 18);
        List<Series> lines = new KernelResults(plan, measured).latencies().series();
        assertThat(lines).extracting(Series::points).containsExactly(new TreeMap<>(), new TreeMap<>(Map.of(64.0, 1.0, 640.0, 1.0, 6400.0, 1.0)),
                new TreeMap<>(Map.of(640.0, 9.0)));
        assertThat(lines).extracting(Series::name).containsExactly("no node: a plain router", "node, in the kernel", "node, in the JVM");
    }
}
