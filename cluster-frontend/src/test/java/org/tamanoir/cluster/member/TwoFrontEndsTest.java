package org.tamanoir.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tamanoir.anep.AnepException;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Planner;
import org.tamanoir.cluster.weight.WeightControl;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.Load;
import org.tamanoir.membership.Report.State;

/**
 * Two front-ends that never talk: back ends come, go, die, restart, and leave; every message reaches each front-end with a delay of its own, or not, or
 * behind a later one; the checks of each fail for themselves, and one of them is restarted. When it is quiet again both have the same plan, weights included,
 * and it is the one that follows from who is there.
 */
@Tag("seeded")
class TwoFrontEndsTest {
    private static final Timing TIMING = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(3), Duration.ofSeconds(10), 3, Duration.ofMinutes(1),
            Duration.ofSeconds(5), Duration.ofSeconds(20), Duration.ofMinutes(1));
    private static final int WILD = 120;
    private static final int QUIET = 200;

    private record Message(long at, long number, int frontEnd, Consumer<FrontEnd> what) {
    }

    private static final class FrontEnd {
        Membership membership = new Membership(Scene.POOLS, TIMING, event -> { });
        WeightControl weights = new WeightControl(TIMING.lease());

        void hear(Report report, long now) {
            try {
                membership.report(report, now);
                weights.report(report, now);
            } catch (AnepException e) {
                assertThat(e.code().number()).isIn(901, 902);
            }
        }

        Plan plan(long now) {
            membership.tick(now);
            return Planner.plan(Scene.POOLS, membership.backEnds(), weights.weights(membership.members().stream().map(Member::name).toList(), now));
        }
    }

    private static final class Node {
        final String name;
        boolean runs;
        int instance;
        long sequence;
        State state = State.SERVING;
        double load;

        Node(String name) {
            this.name = name;
        }
    }

    private final PriorityQueue<Message> underway = new PriorityQueue<>(Comparator.comparingLong(Message::at).thenComparingLong(Message::number));
    private final List<Node> nodes = new ArrayList<>();
    private Random random;
    private long now;
    private long numbers;
    private boolean wild;

    @Test
    void twoFrontEndsThatHearTheSamePlanTheSame() {
        for (long seed = 0; seed < 8; seed++) {
            check(seed);
        }
    }

    @Test
    @Tag("sweep")
    void manyTimes() {
        for (long seed = 1_000; seed < 1_500; seed++) {
            check(seed);
        }
    }

    private void check(long seed) {
        random = new Random(seed);
        now = random.nextLong() >> 1;
        wild = true;
        underway.clear();
        nodes.clear();
        for (int i = 1; i <= 6; i++) {
            nodes.add(new Node("b" + i));
        }
        FrontEnd[] frontEnds = {new FrontEnd(), new FrontEnd()};
        int restart = random.nextInt(WILD);
        for (int second = 0; second < WILD + QUIET; second++) {
            wild = second < WILD;
            if (second == restart) {
                Plan saved = frontEnds[1].plan(now);
                frontEnds[1] = new FrontEnd();
                frontEnds[1].membership.restore(saved, now);
            }
            nodes.forEach(this::live);
            now += Scene.SECOND;
            deliver(frontEnds);
            for (FrontEnd frontEnd : frontEnds) {
                Set<String> alive = new HashSet<>();
                nodes.stream().filter(node -> node.runs && (!wild || random.nextInt(10) > 0)).forEach(node -> alive.add(node.name));
                frontEnd.membership.alive(alive, now);
            }
        }
        Plan plan = frontEnds[0].plan(now);
        assertThat(frontEnds[1].plan(now)).as("seed " + seed).isEqualTo(plan);
        assertThat(plan.services().get(0).servers()).as("seed " + seed).extracting(server -> server.name())
                .containsExactlyElementsOf(nodes.stream().filter(node -> node.runs && node.state == State.SERVING).map(node -> node.name).toList());
    }

    /** A second of a back end: mostly it reports. */
    private void live(Node node) {
        int luck = wild ? random.nextInt(100) : 99;
        if (!node.runs) {
            if (luck < 20) {
                node.runs = true;
                node.instance++;
                node.sequence = 0;
                node.state = State.SERVING;
                node.load = random.nextDouble();
            }
            return;
        }
        if (luck < 4) {
            node.runs = false;
        } else if (luck < 8) {
            String instance = Scene.instance(node.name, node.instance);
            node.runs = false;
            send(frontEnd -> frontEnd.membership.leave(node.name, instance, now));
        } else if (luck < 14) {
            node.state = node.state == State.SERVING ? State.LEAVING : State.SERVING;
        } else if (luck < 18) {
            node.instance++;
            node.sequence = 0;
        } else if (luck < 20) {
            node.load = random.nextDouble();
        }
        if (node.runs) {
            Load load = new Load(1, 0, 0, 1000, Math.min(1, node.load * (0.9 + 0.2 * random.nextDouble())));
            Report report = new Report(node.name, Scene.instance(node.name, node.instance), ++node.sequence, Scene.home(node.name), 3322, 3381, "default",
                    node.state, List.of(), load);
            send(frontEnd -> frontEnd.hear(report, now));
        }
    }

    private void send(Consumer<FrontEnd> what) {
        for (int frontEnd = 0; frontEnd < 2; frontEnd++) {
            if (!wild || random.nextInt(20) > 0) {
                long delay = (long) (random.nextDouble() * (wild ? 2.5 : 0.4) * Scene.SECOND);
                underway.add(new Message(now + delay, numbers++, frontEnd, what));
            }
        }
    }

    private void deliver(FrontEnd[] frontEnds) {
        long end = now;
        while (!underway.isEmpty() && underway.peek().at <= end) {
            Message message = underway.poll();
            now = message.at;
            message.what.accept(frontEnds[message.frontEnd]);
        }
        now = end;
    }
}
