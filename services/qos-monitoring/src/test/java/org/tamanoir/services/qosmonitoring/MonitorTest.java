package org.tamanoir.services.qosmonitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Answers.Answer;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosMonitoring.HeldBack;
import org.tamanoir.service.qos.Segment;

/** Bounds, and what one segment or one version can do to another. */
class MonitorTest {
    private static final long SECOND = 1_000_000_000;
    private static final QosClass BE = Simulation.qosClass("BE", 0);
    private static final QosClass EF = Simulation.qosClass("EF", 46);

    private static <T> T look(Simulation simulation, Monitor.Look<T> look) {
        return simulation.monitor.look(look, simulation.now);
    }

    @Test
    void aSegmentThatNobodyAsksForIsForgottenAfterAMinute() {
        Monitor monitor = new Monitor(Simulation.settings(Map.of("segments", 2)), 0);
        assertThat(monitor.watch(Simulation.segment(1), List.of(BE), 0)).isTrue();
        assertThat(monitor.watch(Simulation.segment(2), List.of(BE), 0)).isTrue();
        assertThat(monitor.watch(Simulation.segment(3), List.of(BE), 0)).as("no room").isFalse();
        assertThat(monitor.watch(Simulation.segment(1), List.of(BE), 30 * SECOND)).isTrue();
        monitor.due(61 * SECOND);
        assertThat(monitor.watch(Simulation.segment(3), List.of(BE), 61 * SECOND)).isTrue();
        assertThat(monitor.due(62 * SECOND)).extracting(order -> order.segment.segment).containsOnly(Simulation.segment(1), Simulation.segment(3));
        long refused = monitor.look(view -> view.counters().refused, 0);
        assertThat(refused).isEqualTo(1);
    }

    @Test
    void otherClassesReplaceThoseBeforeAndTheOnesThatStayKeepWhatIsKnown() {
        Simulation simulation = new Simulation(Map.of());
        Segment segment = Simulation.segment(1);
        simulation.watch(segment, BE, new VirtualPath(1));
        simulation.watch(segment, EF, new VirtualPath(2));
        simulation.run(Duration.ofMillis(8_020));
        simulation.monitor.watch(segment, List.of(EF, Simulation.qosClass("BE", 8)), simulation.now);
        Map<String, ClassSample> samples = simulation.monitor.samples(segment, simulation.now);
        assertThat(samples).as("BE has another code point now").containsOnlyKeys("EF");
        assertThat(samples.get("EF").probes()).isGreaterThan(100);
        List<QosClass> many = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            many.add(Simulation.qosClass("C" + i, i));
        }
        simulation.monitor.watch(segment, many, simulation.now);
        int classes = look(simulation, view -> view.segments().get(segment).classes.size());
        assertThat(classes).isEqualTo(WatchedSegment.MOST_CLASSES);
        simulation.monitor.watch(segment, List.of(), simulation.now);
        assertThat(simulation.monitor.samples(segment, simulation.now)).isEmpty();
    }

    @Test
    @Tag("long")
    void trainsOfWhichNothingIsToldAreNeitherLostNorInTheWay() {
        Monitor monitor = new Monitor(Simulation.settings(Map.of("budget", "1gbit")), 0);
        List<QosClass> classes = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            classes.add(Simulation.qosClass("C" + i, i));
        }
        List<ProbeOrder> first = new ArrayList<>();
        for (long now = 0; now < 30 * SECOND; now += 50_000_000) {
            for (int i = 0; i < 100; i++) {
                monitor.watch(Simulation.segment(i), classes, now);
            }
            first.addAll(monitor.due(now));
            int underWay = monitor.look(view -> view.underWay(), now);
            assertThat(underWay).isLessThanOrEqualTo(Monitor.MOST_UNDER_WAY);
        }
        long untold = monitor.look(view -> view.counters().untold, 0);
        assertThat(untold).isGreaterThan(1_000);
        assertThat(first.size()).as("probing goes on").isGreaterThan(3_000);
        monitor.answered(first.get(0), new Answers(first.get(0).train, 5, List.of()), 30 * SECOND);
        assertThat(monitor.samples(Simulation.segment(0), 30 * SECOND)).as("too late to count").isEmpty();
    }

    @Test
    void aReflectorThatLiesSpoilsNothingButItsOwnSegment() {
        Simulation simulation = new Simulation(Map.of());
        VirtualPath good = new VirtualPath(1);
        VirtualPath liar = new VirtualPath(2);
        Segment honest = Simulation.segment(1);
        Segment other = Simulation.segment(2);
        simulation.watch(honest, BE, good);
        simulation.watch(other, BE, liar);
        for (long lie : new long[] {0, Long.MAX_VALUE / 2, -3_600 * SECOND, 7, 1_000 * SECOND}) {
            liar.offset = lie;
            simulation.run(Duration.ofMillis(1_730));
        }
        simulation.run(Duration.ofSeconds(4));
        ClassSample sample = simulation.sample(honest, "BE");
        assertThat(sample.rttMs()).isCloseTo(0.0808, within(0.001));
        assertThat(sample.oneWayMs()).isCloseTo(0.0408, within(0.001));
        assertThat(sample.udpMbps()).isCloseTo(100, within(1.0));
        assertThat(simulation.sample(other, "BE").oneWayMs()).isNaN();
        assertThat(simulation.sample(other, "BE").rttMs()).as("its own clock only").isCloseTo(0.0808, within(0.001));
    }

    @Test
    void aClockThatIsSetHereCostsTheProbesUnderWayOnly() {
        Simulation simulation = new Simulation(Map.of());
        Segment segment = Simulation.segment(1);
        VirtualPath path = new VirtualPath(1);
        path.oneWay = 20_000_000;
        simulation.watch(segment, BE, path);
        simulation.run(Duration.ofMillis(8_110));
        for (long offset : new long[] {3_600 * SECOND, -86_400 * SECOND}) {
            simulation.clockOffset = offset;
            path.offset = offset;
            for (int i = 0; i < 40; i++) {
                simulation.run(Duration.ofMillis(50));
                ClassSample sample = simulation.sample(segment, "BE");
                assertThat(sample.rttMs()).isCloseTo(40, within(0.1));
                assertThat(sample.jitterMs()).isLessThan(0.1);
                assertThat(sample.lossPct()).isZero();
                assertThat(sample.ageSeconds()).isBetween(0.0, 1.5);
            }
            assertThat(simulation.sample(segment, "BE").oneWayMs()).isCloseTo(20, within(0.1));
        }
    }

    @Test
    void theNextVersionGoesOnWithEverything() {
        Simulation simulation = new Simulation(Map.of());
        Segment segment = Simulation.segment(1);
        VirtualPath lossy = new VirtualPath(5);
        lossy.randomLoss = 0.1;
        simulation.watch(segment, BE, lossy);
        simulation.watch(segment, EF, new VirtualPath(2));
        simulation.run(Duration.ofSeconds(20));
        for (int i = 0; i < 6; i++) {
            simulation.monitor.carried(segment, "EF", 7, 100 + i, 1_000_000_000, HeldBack.PROFILE, simulation.now);
        }
        simulation.run(Duration.ofSeconds(6));
        Map<String, ClassSample> before = simulation.monitor.samples(segment, simulation.now);
        assertThat(before.get("EF").rateVariationPct()).isPositive();
        Map<String, Object> handed = look(simulation, Handover::save);

        Monitor next = new Monitor(Simulation.settings(Map.of()), simulation.now);
        next.look(view -> Handover.load(handed, view), simulation.now);
        assertThat(next.samples(segment, simulation.now)).isEqualTo(before);
        long left = next.look(view -> view.budget().left(view.nowNanos()), simulation.now);
        assertThat(left).isEqualTo(look(simulation, view -> view.budget().left(view.nowNanos())).longValue());
        assertThat(next.due(simulation.now)).as("it probes at once").isNotEmpty();

        Monitor small = new Monitor(Simulation.settings(Map.of()), simulation.now);
        small.look(view -> Handover.load(Map.of(), view), simulation.now);
        assertThat(small.samples(segment, simulation.now)).isEmpty();
    }

    /** A period of 256 segments with 5 classes each, answers included. */
    @Test
    void everyClassOfManySegmentsIsMeasuredInAPeriod() {
        Monitor monitor = new Monitor(Simulation.settings(Map.of("budget", "100mbit")), 0);
        List<QosClass> classes = List.of(BE, EF, Simulation.qosClass("LBE", 1), Simulation.qosClass("AF-TCP", 10), Simulation.qosClass("AF-UDP", 26));
        long trains = 0;
        long now = 0;
        List<Answer> answers = Trains.answers(1, 1.1, 1, 1.2, 1);
        for (int period = 0; period < 3; period++) {
            trains = 0;
            for (int i = 0; i < 256; i++) {
                monitor.watch(Simulation.segment(i), classes, now);
            }
            for (int step = 0; step < 20; step++) {
                for (ProbeOrder order : monitor.due(now)) {
                    trains++;
                    monitor.answered(order, new Answers(order.train, 5, answers), now + 1_000_000);
                }
                now += 50_000_000;
            }
            for (int i = 0; i < 256; i++) {
                assertThat(monitor.samples(Simulation.segment(i), now)).hasSize(5);
            }
        }
        assertThat(trains).as("of 5,120 light ones in a period").isGreaterThan(4_500);
    }
}
