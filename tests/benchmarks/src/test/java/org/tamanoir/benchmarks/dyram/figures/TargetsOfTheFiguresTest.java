package org.tamanoir.benchmarks.dyram.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.tamanoir.benchmarks.dyram.figures.Setting.Services;
import org.tamanoir.benchmarks.dyram.figures.Setting.Split;
import org.tamanoir.benchmarks.dyram.figures.SimulatedSession.Outcome;
import org.tamanoir.benchmarks.report.Target;

/** Every target holds for some made-up sessions and is missed for others. */
class TargetsOfTheFiguresTest {
    private static List<Target> targets(Function<Sessions, Figures.Figure> figure, Function<Setting, Outcome> sessions) {
        return figure.apply(new Sessions(setting -> List.of(sessions.apply(setting)))).targets();
    }

    private static Outcome time(double time) {
        return new Outcome(1, 1, 1, time, 1, 1, 1);
    }

    private static Outcome consumed(double packets) {
        return new Outcome(packets, 0, 0, 1, 1, 1, 1);
    }

    private static Outcome delay(double mean) {
        return new Outcome(1, 1, 1, 1, mean, 1, 1);
    }

    @Test
    void aTransferThatLocalRecoveryDoesNotHalveMisses() {
        Function<Sessions, Figures.Figure> figure = sessions -> Figure12.completion(sessions, 10);
        assertThat(targets(figure, setting -> time(setting.services() == Services.LOCAL_RECOVERY ? 1 : 2))).hasSize(1).allMatch(Target::holds);
        assertThat(targets(figure, setting -> time(setting.services() == Services.LOCAL_RECOVERY ? 1 : 1.9))).allMatch(Target::isMissed);
    }

    @Test
    void bandwidthThatIsNotTheModelsMissesOnEitherSide() {
        Map<Double, Double> model = Map.of(0.05, Model.bandwidthRatio(8, 6, 0.05), 0.25, Model.bandwidthRatio(8, 6, 0.25), 0.5, Model.bandwidthRatio(8, 6, 0.5));
        for (double part : new double[] {0.91, 1.09, 0.89, 1.11}) {
            List<Target> targets = targets(Figure12::bandwidth,
                    setting -> consumed(setting.services() == Services.LOCAL_RECOVERY ? 1 : part * model.get(setting.loss())));
            assertThat(targets).hasSize(6);
            assertThat(targets.stream().filter(Target::isMissed)).hasSize(Math.abs(part - 1) < 0.1 ? 0 : 3);
        }
    }

    @Test
    void aSlowDyramMissesInEverySplitAndTheBestOfThemCountsForThePaper() {
        Function<Sessions, Figures.Figure> figure = sessions -> new Figure13(sessions, "figure-13a", 0.25).figure();
        Map<String, Double> fast = Map.of("DyRAM+", 0.05, "DyRAM-", 0.5, "no active node", 0.6);
        assertThat(targets(figure, setting -> delay(fast.get(setting.services().name())))).hasSize(10).allMatch(Target::holds);
        Map<String, Double> slow = Map.of("DyRAM+", 2.0, "DyRAM-", 2.0, "no active node", 1.9);
        assertThat(targets(figure, setting -> delay(slow.get(setting.services().name())))).hasSize(10).allMatch(Target::isMissed);

        Target paper = targets(figure, setting -> delay(setting.services().name().equals("DyRAM-") && setting.split() == Split.EQUAL ? 4 : 1)).get(0);
        assertThat(paper.name()).contains("the best of three splits");
        assertThat(paper.holds()).isTrue();
        assertThat(targets(sessions -> new Figure13(sessions, "figure-13b", 0.5).figure(), setting -> delay(1))).as("the paper says nothing of it").hasSize(3);
    }
}
