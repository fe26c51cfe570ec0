package org.tamanoir.qos.eds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.qos.eds.SimulatedLink.ClassCount;

/** Delays and losses of six classes on a link of 100 Mbit/s, in the proportions that were asked for. */
class EquivalentClassesTest {
    private static final int PACKET = 1_000;
    private static final Red RED = Red.of(6_000, 80_000, 0.1, 1e8, 1_065, 30);

    private static EdsParameters differing(int history) {
        return new EdsParameters(200 * PACKET, history, EdsParameters.DELAY, EdsParameters.LOSS, null);
    }

    private static List<ClassCount> run(EdsParameters parameters, double load, int seconds) {
        Simulation simulation = new Simulation(2003);
        SimulatedLink link = new SimulatedLink(simulation, parameters, 1e8);
        link.background(load, PACKET);
        simulation.runUntil(seconds * 1_000_000_000L);
        return link.counts();
    }

    @Test
    void delaysAndLossesAreInProportionToTheirFactors() {
        List<ClassCount> counts = run(differing(0), 1.05, 40);
        for (int i = 0; i < 6; i++) {
            double delay = counts.get(i).delay() / counts.get(0).delay();
            double loss = counts.get(i).lossRate() / counts.get(5).lossRate();
            assertThat(delay * 10 / EdsParameters.DELAY.get(i)).as("delay of class " + i).isCloseTo(1, within(0.03));
            assertThat(loss * 10 / EdsParameters.LOSS.get(i)).as("loss of class " + i).isCloseTo(1, within(0.02));
        }
        assertThat(counts.get(0).lossRate()).isBetween(0.1, 0.14);
    }

    @Test
    void aHistoryKeepsThemNearly() {
        List<ClassCount> counts = run(differing(1_200), 1.05, 40);
        assertThat(counts.get(0).lossRate() / counts.get(5).lossRate()).isCloseTo(6, within(0.6));
    }

    @Test
    void redDifferentiatesBeforeTheQueueIsFullAndTailDropDoesNot() {
        EdsParameters early = new EdsParameters(100_000, 1_200, EdsParameters.DELAY, EdsParameters.LOSS, RED);
        List<ClassCount> red = run(early, 0.9, 20);
        List<ClassCount> tail = run(new EdsParameters(1_000_000, 1_200, EdsParameters.DELAY, EdsParameters.LOSS, null), 0.9, 20);
        assertThat(red.get(0).lossRate() / red.get(5).lossRate()).isGreaterThan(2.5);
        assertThat(tail).allMatch(count -> count.lost() == 0);
    }

    @Test
    void equalFactorsMakeEqualClasses() {
        List<ClassCount> tail = run(new EdsParameters(200 * PACKET, 0, EdsParameters.SAME, EdsParameters.SAME, null), 1.05, 40);
        List<ClassCount> red = run(new EdsParameters(100_000, 0, EdsParameters.SAME, EdsParameters.SAME, RED), 1.05, 40);
        for (int i = 1; i < 6; i++) {
            assertThat(tail.get(i).delay() / tail.get(0).delay()).isCloseTo(1, within(0.001));
            assertThat(tail.get(i).lossRate() / tail.get(0).lossRate()).isCloseTo(1, within(0.001));
            assertThat(red.get(i).lossRate() / red.get(0).lossRate()).isCloseTo(1, within(0.001));
        }
    }

    @Test
    void theExponentsOfTheReportAreThoseOfTc() {
        assertThat(RED.weightLog()).isEqualTo(7);
        assertThat(RED.probabilityLog()).isEqualTo(20);
        assertThat(RED.damping()).isSorted().startsWith(0).endsWith(31);
    }

    @Test
    void anIdleLinkForgetsItsQueue() {
        Eds eds = new Eds(new EdsParameters(100_000, 0, List.of(1), List.of(1), RED));
        for (int i = 0; i < 60; i++) {
            eds.arrives(0, PACKET, 0, 0);
        }
        assertThat(eds.packets()).isEqualTo(60);
        for (int i = 0; i < 60; i++) {
            eds.departs(0, PACKET, 0, 1_000_000);
        }
        long before = eds.average();
        assertThat(before).isPositive();
        assertThat(eds.next(2_000_000)).isEqualTo(-1);
        assertThat(eds.loser()).isEqualTo(-1);
        eds.arrives(0, PACKET, 1_000_000 + 10_000_000, 0);
        // 10 ms are 117 packets of 1065 octets at 100 Mbit/s: (127/128)^117, in powers of two.
        assertThat((double) eds.average() / before).isCloseTo(0.5, within(0.01));
        eds.departs(0, PACKET, 0, 12_000_000);
        eds.arrives(0, PACKET, 10_000_000_000L, 0);
        assertThat(eds.average()).isZero();
    }

    @Test
    void whatIsOutOfRangeIsRefused() {
        assertThatThrownBy(() -> new EdsParameters(0, 0, List.of(1), List.of(1), null)).isInstanceOf(AnepException.class).hasMessageContaining("limit");
        assertThatThrownBy(() -> new EdsParameters(1, 16_385, List.of(1), List.of(1), null)).hasMessageContaining("history");
        assertThatThrownBy(() -> new EdsParameters(1, 0, List.of(1, 2), List.of(1), null)).hasMessageContaining("classes");
        assertThatThrownBy(() -> new EdsParameters(1, 0, List.of(), List.of(), null)).hasMessageContaining("classes");
        assertThatThrownBy(() -> new EdsParameters(1, 0, List.of(0), List.of(1), null)).hasMessageContaining("factors");
        assertThatThrownBy(() -> new EdsParameters(1, 0, List.of(1), List.of(1_001), null)).hasMessageContaining("factors");
        assertThatThrownBy(() -> new EdsParameters(1, 0, List.of(2, 1), List.of(2, 1), null)).hasMessageContaining("class 2");
        assertThatThrownBy(() -> new EdsParameters(1, 0, List.of(1, 2), List.of(1, 2), null)).hasMessageContaining("class 2");
        assertThatThrownBy(() -> Red.of(80_000, 6_000, 0.1, 1e8, 1_065, 30)).hasMessageContaining("min");
        assertThatThrownBy(() -> Red.of(6_000, 80_000, 0.1, 1e8, 1_065, 3)).hasMessageContaining("burst");
        assertThatThrownBy(() -> Red.of(6_000, 80_000, 0, 1e8, 1_065, 30)).hasMessageContaining("probability");
    }
}
