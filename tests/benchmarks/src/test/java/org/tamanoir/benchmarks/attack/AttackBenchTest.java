package org.tamanoir.benchmarks.attack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tamanoir.benchmarks.report.Target;

class AttackBenchTest {
    /** A metric on either side of its bound. */
    private record Bound(String metric, double good, double bad) {
    }

    private static List<Bound> bounds(Attack kind) {
        List<Bound> all = List.of(new Bound("alive", 1, 0), new Bound("direct-memory", 200, 201));
        List<Bound> disturbed = List.of(new Bound("p99-growth-beyond-direct", 1.2, 1.3));
        List<Bound> beside = List.of(new Bound("steady-rate-of-direct", 0.9, 0.89), new Bound("steady-gap-beyond-direct", 0.5, 0.51));
        List<Bound> own = switch (kind) {
            case HALF_OPEN_HANDSHAKES, REFUSED_TOKENS -> disturbed;
            case IDLE_STREAMS -> Stream.concat(beside.stream(), Stream.of(new Bound("resident", 400, 401))).toList();
            case STRANGER -> Stream.concat(beside.stream(), Stream.of(new Bound("tcp-streams-let-in", 20, 19))).toList();
            case STOPPED_NODE -> List.of(new Bound("lost-when-last-stops", 0, 1), new Bound("lost-when-first-stops", 0, 1));
            default -> beside;
        };
        return Stream.concat(all.stream(), own.stream()).toList();
    }

    private static Stream<Arguments> everyTarget() {
        return Stream.of(Attack.values()).flatMap(kind -> bounds(kind).stream().map(bound -> Arguments.of(kind, bound)));
    }

    private static Map<String, Double> good(Attack kind) {
        Map<String, Double> values = new HashMap<>(Map.of("configured", 200.0));
        bounds(kind).forEach(bound -> values.put(bound.metric, bound.good));
        return values;
    }

    @ParameterizedTest
    @MethodSource("everyTarget")
    void aTargetIsMissedBeyondItsBoundAndNoOtherIs(Attack kind, Bound bound) {
        Map<String, Double> values = good(kind);
        assertThat(AttackBench.targets(kind, values::get)).hasSize(bounds(kind).size()).allMatch(Target::holds);
        values.put(bound.metric, bound.bad);
        assertThat(AttackBench.targets(kind, values::get)).filteredOn(Target::isMissed).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNotMeasuredNeitherHoldsNorIsMissed(Attack kind) {
        assertThat(AttackBench.targets(kind, metric -> null)).isNotEmpty().noneMatch(Target::holds).noneMatch(Target::isMissed);
    }
}
