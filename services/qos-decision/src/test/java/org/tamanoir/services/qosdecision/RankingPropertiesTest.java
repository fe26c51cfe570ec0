package org.tamanoir.services.qosdecision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.tamanoir.service.Transport;
import org.tamanoir.service.qos.ClassSample;
import org.tamanoir.service.qos.QosClass;
import org.tamanoir.service.qos.QosDecision.Choice;
import org.tamanoir.service.qos.QosDecision.Finding;
import org.tamanoir.service.qos.QosDecision.History;
import org.tamanoir.service.qos.QosDecision.State;
import org.tamanoir.service.qos.ServiceLevel.Goal;
import org.tamanoir.service.qos.ServiceLevel.Goal.Level;
import org.tamanoir.service.qos.ServiceLevel.Goal.Limit;
import org.tamanoir.service.qos.ServiceLevel.Goal.Weight;
import org.tamanoir.service.qos.ServiceLevel.Goal.Wish;
import org.tamanoir.service.qos.ServiceLevel.Objectives;

/** What holds for every choice, whatever is measured and whatever is asked. */
class RankingPropertiesTest {
    private static final double[] NONSENSE = {Double.NaN, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, -1, Double.MAX_VALUE, Double.MIN_VALUE, -0.0,
            1e300, 101, 100};

    private static Questions flow(Random random, boolean weights) {
        Transport transport = random.nextBoolean() ? Transport.TCP : Transport.UDP;
        Questions flow = new Questions(transport, weights ? weights(random) : limits(random), Map.of());
        flow.rate = random.nextInt(3) == 0 ? 0 : random.nextInt(20_000_000);
        flow.segments = 1 + random.nextInt(3);
        for (QosClass each : Questions.ALL) {
            if (random.nextInt(6) > 0) {
                flow.sample(each, sample(random));
            }
            if (each.isProvisioned()) {
                flow.available.put(each, (long) random.nextInt(25_000_000) - 1000);
            }
            if (random.nextInt(10) == 0) {
                flow.available.remove(each);
            }
        }
        return flow;
    }

    private static Objectives limits(Random random) {
        return new Objectives(goal(random, 30), goal(random, 3), goal(random, 5), goal(random, 60));
    }

    private static Goal goal(Random random, double most) {
        return switch (random.nextInt(4)) {
            case 0 -> new Wish(Level.values()[random.nextInt(3)]);
            case 1 -> null;
            default -> new Limit(random.nextInt(10) == 0 ? 0 : most * random.nextDouble());
        };
    }

    private static Objectives weights(Random random) {
        double delay = random.nextDouble();
        double loss = (1 - delay) * random.nextDouble();
        return new Objectives(new Weight(delay), null, new Weight(loss), new Weight(1 - delay - loss));
    }

    private static ClassSample sample(Random random) {
        return new ClassSample(40 * random.nextDouble(), 1, 40, Double.NaN, Double.NaN, 4 * random.nextDouble(),
                random.nextBoolean() ? 0 : 10 * random.nextDouble(), 100 * random.nextDouble(), 100 * random.nextDouble(), 10, false, null,
                33 * random.nextDouble());
    }

    private static ClassSample hostile(Random random) {
        double[] values = new double[9];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextInt(3) == 0 ? 10 * random.nextDouble() : NONSENSE[random.nextInt(NONSENSE.length)];
        }
        return new ClassSample(values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8], -1, true, false,
                random.nextInt(3) == 0 ? NONSENSE[random.nextInt(NONSENSE.length)] : 1);
    }

    private static void assertAllowed(Questions flow, Choice choice) {
        if (choice.className() == null) {
            assertThat(flow.available.entrySet()).noneMatch(each -> each.getKey().takes(flow.transport) && each.getValue() >= flow.rate);
            return;
        }
        QosClass chosen = flow.available.keySet().stream().filter(each -> each.name().equals(choice.className())).findFirst().orElseThrow();
        assertThat(chosen.takes(flow.transport)).as(choice.reason()).isTrue();
        assertThat(flow.available.get(chosen)).as(choice.reason()).isGreaterThanOrEqualTo(flow.rate);
        assertThat(choice.findings()).hasSize(flow.available.size());
    }

    @Property(tries = 2000)
    void theSameQuestionHasTheSameAnswerAndTheClassIsAllowed(@ForAll long seed) {
        Questions flow = flow(new Random(seed), seed % 2 == 0);
        flow.history = seed % 3 == 0 ? new History("EF", "BE", 2, 0) : History.NONE;
        History before = flow.history;
        Choice choice = flow.choose();
        assertAllowed(flow, choice);
        Questions again = flow(new Random(seed), seed % 2 == 0);
        again.history = before;
        assertThat(again.choose()).isEqualTo(choice);
    }

    /** MET means met: every stated limit, by what was given, without the code that chose. And what is not taken is dearer. */
    @Property(tries = 2000)
    void theCheapestClassThatMeetsEverythingIsTaken(@ForAll long seed) {
        Questions flow = flow(new Random(seed), false);
        Choice choice = flow.first();
        if (flow.objectives.isEmpty()) {
            return;
        }
        List<String> good = flow.available.keySet().stream().filter(each -> does(flow, each)).map(QosClass::name).toList();
        assertThat(choice.state() == State.MET).as(choice.reason()).isEqualTo(!good.isEmpty());
        if (!good.isEmpty()) {
            assertThat(choice.className()).as(choice.reason()).isEqualTo(good.get(0));
        }
        assertThat(choice.findings().stream().filter(Finding::feasible).map(Finding::className)).containsExactlyInAnyOrderElementsOf(good);
    }

    private static boolean does(Questions flow, QosClass qosClass) {
        ClassSample sample = flow.samples.get(qosClass);
        boolean tcp = flow.transport == Transport.TCP;
        return sample != null && sample.ageSeconds() <= 30 && qosClass.takes(flow.transport) && flow.available.get(qosClass) >= flow.rate
                && sample.rttMs() * flow.segments <= limit(flow.objectives.delay(), 10, 100, 1000, 1e9)
                && sample.jitterMs() * flow.segments <= limit(flow.objectives.jitter(), 1, 10, 100, 1e9)
                && sample.lossPct() * flow.segments <= limit(flow.objectives.loss(), 0.1, 1, 10, 1e9)
                && (tcp ? sample.tcpMbps() : sample.udpMbps()) >= limit(flow.objectives.rate(), 1, 10, 40, 0);
    }

    private static double limit(Goal goal, double low, double medium, double high, double none) {
        return goal == null ? none : goal instanceof Limit limit ? limit.value()
                : List.of(low, medium, high).get(((Wish) goal).level().ordinal());
    }

    /** A class that gets better takes the place of the one chosen, or changes nothing. */
    @Property(tries = 2000)
    void aBetterSampleNeverMakesAWorseChoice(@ForAll long seed) {
        Random random = new Random(seed);
        Questions flow = flow(random, false);
        String before = flow.first().className();
        QosClass better = Questions.ALL.get(random.nextInt(Questions.ALL.size()));
        ClassSample was = flow.samples.get(better);
        if (was == null) {
            return;
        }
        flow.sample(better, improved(was, random));
        assertThat(flow.first().className()).isIn(before, better.name());
    }

    /** With weights, the score of what is chosen stays or falls: what others are measured by has risen, if anything. */
    @Property(tries = 2000)
    void aBetterSampleNeverMakesAWorseScore(@ForAll long seed) {
        Random random = new Random(seed);
        Questions flow = flow(random, true);
        ClassAssessment before = new Ranking(flow.question(), flow.settings).target();
        QosClass better = Questions.ALL.get(random.nextInt(Questions.ALL.size()));
        ClassSample was = flow.samples.get(better);
        if (was == null || before == null) {
            return;
        }
        flow.sample(better, improved(was, random));
        ClassAssessment after = new Ranking(flow.question(), flow.settings).target();
        if (!after.name().equals(before.name()) && !after.name().equals(better.name())) {
            assertThat(after.weighted()).isLessThanOrEqualTo(before.weighted());
        }
    }

    private static ClassSample improved(ClassSample was, Random random) {
        return new ClassSample(was.rttMs() * random.nextDouble(), 1, 40, Double.NaN, Double.NaN, was.jitterMs() * random.nextDouble(),
                was.lossPct() * random.nextDouble(), was.tcpMbps() * (1 + random.nextDouble()), was.udpMbps() * (1 + random.nextDouble()), 10, false, null,
                was.ageSeconds());
    }

    /** Samples that nobody can have measured: an answer that is allowed, with finite scores, and no objective is met by them. */
    @Property(tries = 2000)
    void hostileSamplesAreSurvived(@ForAll long seed) {
        Random random = new Random(seed);
        Questions flow = flow(random, random.nextBoolean());
        if (random.nextInt(4) == 0) {
            flow.objectives = new Objectives(new Limit(NONSENSE[random.nextInt(NONSENSE.length)]), null, new Weight(Double.NaN), flow.objectives.rate());
        }
        for (int i = 0; i < 20; i++) {
            Questions.ALL.forEach(each -> flow.sample(each, hostile(random)));
            flow.nanos = random.nextLong();
            Choice choice = flow.choose();
            assertAllowed(flow, choice);
            assertThat(choice.findings()).allSatisfy(finding -> assertThat(finding.score()).isFinite().isNotNegative());
        }
    }
}
