package org.tamanoir.benchmarks.cluster.scaling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.cluster.ClusterPlan;
import org.tamanoir.benchmarks.report.Target;

class ScalingTest {
    private static final Scaling.Case GZIP = Scaling.Case.ALL.get(2);

    private static Figures good(double octets, int count) {
        return new Figures(octets, java.util.Collections.nCopies(count, 0.98), 0.1, java.util.Collections.nCopies(count, 1.0 / count), 0, 0.2, 0.2, 0.1, 0.3);
    }

    private static final List<Integer> ALL = List.of(1, 2, 3);

    private static Map<List<Integer>, Figures> round(double first, double second, double third, double all) {
        return Map.of(List.of(1), good(first, 1), List.of(2), good(second, 1), List.of(3), good(third, 1), ALL, good(all, 3));
    }

    /** Wrong: the ratio of two medians, which a machine that slows down bends; or to one back end that is faster, or slower, than the others. */
    @Test
    void theRatioIsToTheSameBackEndsAloneInThatRound() {
        Scaling outcome = new Scaling(ClusterPlan.QUICK, line -> { });
        outcome.add(GZIP, round(5e6, 10e6, 15e6, 29e6));
        outcome.add(GZIP, round(2e6, 4e6, 6e6, 11.2e6));
        outcome.add(GZIP, round(1e6, 2e6, 3e6, 5.2e6));
        Target target = outcome.targets().get(2);
        assertThat(target.name()).contains("gzip");
        assertThat(target.value()).isEqualTo(2.8);
        assertThat(target.holds()).isTrue();
        assertThat(outcome.targets().get(0).value()).as("monitoring was not measured").isNull();
        assertThat(outcome.targets().get(0).holds()).isFalse();
        assertThat(outcome.rows()).filteredOn(row -> row.metric().equals("throughput")).extracting(row -> row.system() + " " + row.value())
                .containsExactlyInAnyOrder("back-ends-1 32.0", "back-ends-3 89.6");
        StringWriter table = new StringWriter();
        outcome.print(new PrintWriter(table, true));
        assertThat(table.toString()).contains("2.80").contains("figure 10 (2003)").contains("200");
    }

    /** Wrong: a ratio of three with a round in which one of them gave no figure alone, or one below the target that is said to hold. */
    @Test
    void whatIsMissingOrTooLittleDoesNotHold() {
        Scaling outcome = new Scaling(ClusterPlan.QUICK, line -> { });
        outcome.add(GZIP, Map.of(List.of(1), good(10e6, 1), List.of(3), good(10e6, 1), ALL, good(30e6, 3)));
        assertThat(outcome.targets().get(2).value()).isNull();
        outcome.add(GZIP, round(10e6, 10e6, 10e6, 26.9e6));
        assertThat(outcome.targets().get(2).holds()).isFalse();
    }

    @Test
    void aRunThatSomethingElseHeldBackIsNoFigure() {
        assertThat(good(1e6, 3).doubts()).isEmpty();
        assertThat(good(0, 1).doubts()).contains("nothing arrived");
        List<Double> even = List.of(0.5, 0.5);
        assertThat(new Figures(1e6, List.of(1.0, 0.6), 0.1, even, 0, 0.2, 0.2, 0.1, 0.3).doubts()).singleElement().asString().contains("60 % of its cap");
        assertThat(new Figures(1e6, List.of(1.0, 1.0), 0.1, even, 0, 0.97, 0.2, 0.1, 0.3).doubts()).singleElement().asString().contains("the director used 97 %");
        assertThat(new Figures(1e6, List.of(1.0), 0.1, List.of(0.6), 0.4, 0.2, 0.2, 0.1, 0.3).doubts()).singleElement().asString().contains("had left got 40 %");
    }
}
