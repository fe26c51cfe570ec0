package org.tamanoir.qos.eds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MarkingTest {
    private static final int PACKET = 1_000;
    private static final long MILLI = 1_000_000;
    private static final EdsParameters ROUTER = new EdsParameters(100_000, 1_200, EdsParameters.DELAY, EdsParameters.LOSS,
            Red.of(6_000, 80_000, 0.1, 1e8, 1_065, 30));

    /** Milliseconds that messages of four packets take, one after the other, sorted. */
    private static List<Double> messages(Marking marking, int window, double load, int count) {
        Simulation simulation = new Simulation(7);
        SimulatedLink link = new SimulatedLink(simulation, ROUTER, 1e8);
        link.background(load, PACKET);
        return IntStream.range(0, count).mapToDouble(i -> {
            simulation.runUntil(simulation.now() + 100 * MILLI);
            long from = simulation.now();
            long[] end = {0};
            new SimulatedTransfer(simulation, link, marking, PACKET, 50 * MILLI, 4, window, () -> end[0] = simulation.now());
            while (end[0] == 0) {
                simulation.runUntil(simulation.now() + MILLI);
            }
            return (end[0] - from) / 1e6;
        }).sorted().boxed().toList();
    }

    @Test
    void aShortMessageTakesOneRoundTripWithoutALossAndTcpThree() {
        List<Double> ours = messages(new ShortMessageMarking(6), ShortMessageMarking.MOST_PACKETS, 0.3, 100);
        List<Double> slowStart = messages(Marking.fixed(2), 1, 0.3, 100);
        assertThat(ours.get(99)).isBetween(50.0, 55.0);
        assertThat(slowStart.get(0)).isGreaterThan(150);
    }

    @Test
    void whatAShortMessageLosesGoesAgainInTheSafestClass() {
        ShortMessageMarking marking = new ShortMessageMarking(6);
        assertThat(marking.first()).isZero();
        assertThat(marking.again()).isEqualTo(5);
        List<Double> inOne = messages(Marking.fixed(0), 4, 1.1, 60);
        List<Double> ours = messages(marking, 4, 1.1, 60);
        double mean = ours.stream().mapToDouble(each -> each).average().orElseThrow();
        assertThat(mean).isLessThan(inOne.stream().mapToDouble(each -> each).average().orElseThrow());
    }

    @Test
    void aTransferIsProtectedAfterALossAndComesBackStepByStep() {
        BulkMarking marking = new BulkMarking(6, 2);
        assertThat(marking.first()).isEqualTo(2);
        marking.roundTrip();
        assertThat(marking.first()).isEqualTo(2);
        marking.lost();
        assertThat(marking.first()).isEqualTo(5);
        assertThat(marking.again()).isEqualTo(5);
        int[] then = IntStream.range(0, 6).map(i -> {
            marking.roundTrip();
            return marking.first();
        }).toArray();
        assertThat(then).containsExactly(5, 4, 3, 2, 2, 2);
        assertThatThrownBy(() -> new BulkMarking(6, 6)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void onlyAnswersInTheSameOrASlowerClassTellOfALoss() {
        BulkMarking marking = new BulkMarking(6, 2);
        assertThat(marking.tellsOf(2, 2)).isTrue();
        assertThat(marking.tellsOf(2, 5)).isTrue();
        assertThat(marking.tellsOf(5, 2)).isFalse();
        assertThat(new ShortMessageMarking(6).tellsOf(5, 0)).isFalse();
        assertThat(Marking.fixed(3).tellsOf(3, 0)).isTrue();
    }

    @Test
    void theSlowestClassThatKeepsTheBoundIsTaken() {
        RealTimeMarking marking = new RealTimeMarking(100 * MILLI, 0.05, EdsParameters.DELAY);
        assertThat(marking.first()).isZero();
        // 20 ms in class 1 are 24, 30, 40, 60 and 120 in the others.
        assertThat(marking.report(40 * MILLI, 20 * MILLI, 0)).isEqualTo(new RealTimeMarking.Choice(4, false, false));
        assertThat(marking.first()).isEqualTo(4);
        // The same network, seen from class 5.
        assertThat(marking.report(40 * MILLI, 60 * MILLI, 0.01)).isEqualTo(new RealTimeMarking.Choice(4, false, false));
        assertThat(marking.report(40 * MILLI, 15 * MILLI, 0)).isEqualTo(new RealTimeMarking.Choice(5, false, false));
        // Nothing keeps it: the quickest, and the application is told.
        assertThat(marking.report(40 * MILLI, 900 * MILLI, 0.2)).isEqualTo(new RealTimeMarking.Choice(0, true, true));
        assertThat(marking.report(40 * MILLI, 10 * MILLI, 0.06).violated()).isTrue();
        assertThatThrownBy(() -> new RealTimeMarking(0, 0, EdsParameters.DELAY)).hasMessageContaining("bound");
        assertThatThrownBy(() -> new RealTimeMarking(1, 1.1, EdsParameters.DELAY)).hasMessageContaining("1.1");
        assertThatThrownBy(() -> new RealTimeMarking(1, 1, List.of())).hasMessageContaining("factors");
    }

    /** A flow of 100 packets a second for 30 s among an overload. @return packets that arrived within 60 ms, later, and never */
    private static int[] realTime(Marking marking, List<Integer> used) {
        Simulation simulation = new Simulation(11);
        SimulatedLink link = new SimulatedLink(simulation, ROUTER, 1e7);
        link.background(1.02, PACKET);
        long propagation = 20 * MILLI;
        int[] seen = new int[3];
        for (int period = 0; period < 300; period++) {
            long[] report = new long[2];
            for (int i = 0; i < 10; i++) {
                link.send(marking.first(), PACKET, new SimulatedLink.Sent() {
                    @Override
                    public void left(long waited) {
                        report[0]++;
                        report[1] = Math.max(report[1], waited);
                        seen[waited + propagation <= 60 * MILLI ? 0 : 1]++;
                    }

                    @Override
                    public void lost() {
                        seen[2]++;
                    }
                });
                simulation.runUntil(simulation.now() + 10 * MILLI);
            }
            used.add(marking.first());
            if (marking instanceof RealTimeMarking adaptive && report[0] > 0) {
                adaptive.report(propagation, report[1], 1 - report[0] / 10.0);
            }
        }
        return seen;
    }

    @Test
    void packetsKeepTheirBoundOnACongestedLinkAndFewerAreLostThanInTheQuickestClass() {
        List<Integer> used = new ArrayList<>();
        int[] adaptive = realTime(new RealTimeMarking(60 * MILLI, 0.2, EdsParameters.DELAY), used);
        int[] quickest = realTime(Marking.fixed(0), new ArrayList<>());
        int[] safest = realTime(Marking.fixed(5), new ArrayList<>());
        System.out.printf("RT-TP, 60 ms: in time, late, lost: %s; in class 1 %s, in class 6 %s%n", Arrays.toString(adaptive), Arrays.toString(quickest),
                Arrays.toString(safest));
        assertThat((double) adaptive[0] / (adaptive[0] + adaptive[1])).isGreaterThan(0.85);
        assertThat(adaptive[2]).isLessThan(quickest[2]);
        assertThat(adaptive[1]).isLessThan(safest[1] / 2);
        assertThat(used).anyMatch(c -> c > 0 && c < 5);
    }
}
