package org.tamanoir.services.qosmonitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.service.probe.Probes.Answers;
import org.tamanoir.service.probe.Probes.Answers.Answer;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.services.qosmonitoring.Simulation.Spent;

/** Probes never cost more than they may, and everybody is measured as often as everybody else. */
class BudgetTest {
    private static final long SECOND = 1_000_000_000;

    private static List<QosClass> classes(int count) {
        return IntStream.range(0, count).mapToObj(i -> Simulation.qosClass("C" + i, i)).toList();
    }

    private static Answers answers(ProbeOrder order) {
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < order.train.packets(); i++) {
            answers.add(Trains.answer(i, 1 + i * 0.1, 1));
        }
        return new Answers(order.train, order.train.packets(), answers);
    }

    @Property(tries = 10)
    void theBudgetIsNeverOverdrawn(@ForAll @IntRange(min = 1, max = 80) int segments, @ForAll @IntRange(min = 1, max = 16) int classes,
            @ForAll @IntRange(min = 100, max = 20_000) int kilobits, @ForAll @IntRange(min = 100, max = 3_000) int periodMillis, @ForAll long seed) {
        Random random = new Random(seed);
        List<QosClass> all = classes(classes);
        Monitor monitor = new Monitor(Simulation.settings(Map.of("budget", kilobits + "kbit", "period", periodMillis + "ms")), 0);
        double rate = kilobits * 125.0;
        double left = rate;
        long now = 0;
        long last = 0;
        long trains = 0;
        List<ProbeOrder> open = new ArrayList<>();
        for (int step = 0; step < 400; step++) {
            for (int i = 0; i < segments; i++) {
                monitor.watch(Simulation.segment(i), all, now);
            }
            long sent = 0;
            for (ProbeOrder order : monitor.due(now)) {
                if (random.nextInt(10) == 0) {
                    monitor.notSent(order, now);
                } else {
                    sent += order.octets();
                    trains++;
                    open.add(order);
                }
            }
            left = Math.min(rate, left + (now - last) / 1e9 * rate) - sent;
            assertThat(left).isGreaterThanOrEqualTo(-1e-3);
            last = now;
            now += (long) (monitor.step().toNanos() * (0.2 + 2 * random.nextDouble()));
            for (int i = random.nextInt(open.size() + 1); i > 0; i--) {
                ProbeOrder order = open.remove(random.nextInt(open.size()));
                monitor.answered(order, answers(order), now);
            }
        }
        assertThat(trains).isPositive();
    }

    /** Trains of each class on each segment, light or not, between two times. */
    private static IntSummaryStatistics trains(Simulation simulation, boolean throughput, long from) {
        Map<MeasuredClass, Integer> trains = new HashMap<>();
        simulation.spent.stream().filter(spent -> spent.at() >= from && spent.order().throughput == throughput)
                .forEach(spent -> trains.merge(spent.order().target, 1, Integer::sum));
        return trains.values().stream().mapToInt(Integer::intValue).summaryStatistics();
    }

    private static Simulation network(int segments, int classes, Map<String, ?> options) {
        Simulation simulation = new Simulation(options);
        for (int i = 0; i < segments; i++) {
            for (QosClass each : classes(classes)) {
                simulation.watch(Simulation.segment(i), each, new VirtualPath(i));
            }
        }
        return simulation;
    }

    private static double stretched(Simulation simulation) {
        return simulation.monitor.look(view -> view.shares().light(), simulation.now);
    }

    @Test
    void aBudgetThatSufficesStretchesNothing() {
        Simulation simulation = network(1, 5, Map.of());
        simulation.run(Duration.ofSeconds(30));
        assertThat(stretched(simulation)).isEqualTo(1);
        assertThat(trains(simulation, false, 10 * SECOND).getMin()).as("four a second, less what throughput trains take").isBetween(70, 81);
        assertThat(trains(simulation, true, 10 * SECOND).getMin()).isEqualTo(4);
        assertThat(simulation.sample(Simulation.segment(0), "C4").udpMbps()).isCloseTo(100, within(1.0));
    }

    @Test
    @Tag("long")
    void aBudgetThatDoesNotSufficeStretchesAllAlike() {
        Simulation simulation = network(64, 5, Map.of());
        simulation.run(Duration.ofSeconds(120));
        // 64 segments * 5 classes * 2,000 octets a second, of 93,750.
        assertThat(stretched(simulation)).isCloseTo(640_000 / 93_750.0, within(1e-9));
        IntSummaryStatistics light = trains(simulation, false, 20 * SECOND);
        assertThat(light.getCount()).isEqualTo(64 * 5);
        assertThat(light.getMax() - light.getMin()).isLessThanOrEqualTo(2);
        assertThat(light.getAverage()).as("of 100 s").isCloseTo(400 / 6.827, within(3.0));
        IntSummaryStatistics heavy = trains(simulation, true, 0);
        assertThat(heavy.getSum() * 60_000.0 / 120).as("octets a second of throughput trains").isBetween(20_000.0, 33_000.0);
        assertThat(heavy.getMax()).isEqualTo(1);
        long octets = simulation.spent.stream().mapToLong(Spent::octets).sum();
        assertThat(octets).isLessThanOrEqualTo(121 * 125_000L);
        assertThat(simulation.monitor.report(simulation.now).get("budget").toString()).contains("stretchedLight=6.8");
    }

    @Test
    void noBudgetIsTooSmallForThroughput() {
        Simulation simulation = network(2, 3, Map.of("budget", "100kbit"));
        simulation.run(Duration.ofSeconds(60));
        assertThat(trains(simulation, true, 0).getMin()).isPositive();
        assertThat(simulation.sample(Simulation.segment(1), "C2").udpMbps()).isCloseTo(100, within(1.0));
    }

    @Test
    void aClassThatComesAndGoesDoesNotTakeTheTrainsOfOthers() {
        Simulation simulation = network(1, 4, Map.of());
        VirtualPath restless = new VirtualPath(9);
        simulation.watch(Simulation.segment(0), Simulation.qosClass("restless", 46), restless);
        for (int i = 0; i < 60; i++) {
            restless.oneWay = i % 2 == 0 ? 40_000 : 20_000_000;
            simulation.run(Duration.ofSeconds(1));
        }
        Map<String, Integer> trains = new HashMap<>();
        simulation.spent.stream().filter(spent -> spent.order().throughput)
                .forEach(spent -> trains.merge(spent.order().target.qosClass.name(), 1, Integer::sum));
        assertThat(trains.get("restless")).isLessThanOrEqualTo(25);
        assertThat(trains.get("C0")).as("of 12").isGreaterThanOrEqualTo(10);
    }
}
