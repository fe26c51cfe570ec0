package org.tamanoir.benchmarks.qos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.qos.Adaptation.Change;
import org.tamanoir.benchmarks.qos.Adaptation.Round;
import org.tamanoir.benchmarks.report.Measurements;
import org.tamanoir.benchmarks.report.Target;

/** The time origin of {@link System#nanoTime} is anywhere: near its end too. */
class AdaptationTest {
    private static final long ORIGIN = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(2);
    private static final int AF = 26;

    private static Change change(long millis, int codePoint) {
        return new Change(ORIGIN + TimeUnit.MILLISECONDS.toNanos(millis), codePoint);
    }

    /** A flood from 1 s to 6 s. */
    private static Round round(Change... changes) {
        return new Round(1000, ORIGIN + TimeUnit.SECONDS.toNanos(1), ORIGIN + TimeUnit.SECONDS.toNanos(6), List.of(changes), List.of(), 1000, 3000);
    }

    @Test
    void packetsOfBothClassesMixWhileOldOnesLeaveTheQueue() {
        Round round = round(change(0, 0), change(2200, AF), change(2210, 0), change(2215, AF), change(8500, 0));
        assertThat(round.better()).isEqualTo(1200);
        assertThat(round.back()).isEqualTo(2500);
    }

    @Test
    void aFlowThatWasBackBeforeTheFloodEndedOrNeverIsNotBack() {
        assertThat(round(change(0, 0), change(2200, AF)).back()).isInfinite();
        assertThat(round(change(0, 0), change(2200, AF), change(5000, 0)).back()).isInfinite();
        assertThat(round(change(0, 0)).better()).isInfinite();
    }

    @Test
    void aFlowThatGoesBackTwiceIsBackTheSecondTime() {
        assertThat(round(change(0, 0), change(2200, AF), change(8000, 0), change(9000, AF), change(10_000, 0)).back()).isEqualTo(4000);
    }

    private static List<Target> targets(Round... rounds) {
        Adaptation adaptation = new Adaptation(List.of(1000), new Measurements(line -> { }));
        List.of(rounds).forEach(adaptation::add);
        return adaptation.targets();
    }

    @Test
    void theLongestRoundCounts() {
        Round good = round(change(0, 0), change(2200, AF), change(8500, 0));
        Round late = round(change(0, 0), change(4100, AF), change(8500, 0));
        assertThat(targets(good, late, good)).extracting(Target::value).containsExactly(3.1, 2.5);
        assertThat(targets(good, late, good)).extracting(Target::isMissed).containsExactly(true, false);
    }

    @Test
    void aFlowThatIsLateBackOrNeverBetterMissesItsTarget() {
        assertThat(targets(round(change(0, 0), change(4000, AF), change(9000, 0)))).allMatch(Target::holds);
        assertThat(targets(round(change(0, 0), change(4000, AF), change(9001, 0)))).extracting(Target::isMissed).containsExactly(false, true);
        assertThat(targets(round(change(0, 0)))).allMatch(Target::isMissed);
    }

    @Test
    void aPeriodWithoutARoundIsNotMeasured() {
        assertThat(targets()).hasSize(2).allMatch(target -> target.value() == null && !target.holds());
    }
}
