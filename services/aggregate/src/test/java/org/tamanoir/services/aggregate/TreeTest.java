package org.tamanoir.services.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.tamanoir.services.aggregate.Aggregate.Settings;
import org.tamanoir.services.aggregate.Rounds.Answer;

/**
 * Trees of nodes in virtual time, with messages that are lost, doubled and late. Source {@code i} says 2 to the power of {@code i}: so the sum
 * names exactly who has contributed, and a value that was added twice would show.
 */
class TreeTest {
    private static final long WAIT = 1_000_000;
    private static final int ROUNDS = 8;
    private static final int DEPTH = 4;

    private record Message(long at, long order, Node to, Reading reading) {
    }

    private static final class Node {
        private final Node parent;
        private final ServiceCounters totals = new ServiceCounters(1_000_000);
        private final Rounds rounds;
        private int delivered;
        private int late;
        private int duplicates;

        Node(Node parent, int children, boolean byNumber, long id) {
            this.parent = parent;
            this.rounds = new Rounds(new Settings(byNumber ? children : 0, WAIT, 64, id, parent == null), totals, 1);
        }
    }

    /** A world with one tree; each step is a message that arrives or a time that is over. */
    private static final class World {
        private final Random random;
        private final int faultPercent;
        private final long spread;
        private final boolean byNumber;
        private final List<Node> nodes = new ArrayList<>();
        private final List<Node> parents = new ArrayList<>();
        private final PriorityQueue<Message> messages =
                new PriorityQueue<>(Comparator.comparingLong(Message::at).thenComparingLong(Message::order));
        private final Map<Long, List<Reading>> atRoot = new HashMap<>();
        private long now;
        private long order;

        World(Random random, int faultPercent, long spread, boolean byNumber) {
            this.random = random;
            this.faultPercent = faultPercent;
            this.spread = spread;
            this.byNumber = byNumber;
        }

        /** Grows a tree below a node; leaves of the tree are sources, at most 60 of them. */
        void grow(Node parent, int depth) {
            int children = 1 + random.nextInt(4);
            Node node = new Node(parent, children, byNumber, -1 - nodes.size());
            nodes.add(node);
            for (int i = 0; i < children; i++) {
                if (depth > 1 && random.nextBoolean() && parents.size() + children < 50) {
                    grow(node, depth - 1);
                } else {
                    parents.add(node);
                }
            }
        }

        void send(Node to, Reading reading, long delay) {
            boolean fault = random.nextInt(100) < faultPercent;
            if (!fault || random.nextBoolean()) {
                messages.add(new Message(now + delay, order++, to, reading));
            }
            if (fault && random.nextBoolean()) {
                messages.add(new Message(now + delay + random.nextInt((int) (3 * WAIT)), order++, to, reading));
            }
        }

        void run() {
            while (true) {
                long next = nodes.stream().mapToLong(node -> node.rounds.untilDeadline(now)).min().orElse(Long.MAX_VALUE);
                if (!messages.isEmpty() && messages.peek().at() - now <= next) {
                    Message message = messages.poll();
                    now = message.at();
                    deliver(message.to(), message.reading());
                } else if (next < Long.MAX_VALUE) {
                    now += Math.max(0, next);
                    nodes.forEach(node -> node.rounds.expire(now));
                } else {
                    return;
                }
                nodes.forEach(this::collect);
            }
        }

        private void deliver(Node node, Reading reading) {
            node.delivered++;
            Answer answer = node.rounds.add(reading, now);
            node.late += answer == Answer.LATE ? 1 : 0;
            node.duplicates += answer == Answer.DUPLICATE ? 1 : 0;
            assertThat(answer).isIn(Answer.TAKEN, Answer.LATE, Answer.DUPLICATE);
            node.totals.readings.add(answer == Answer.TAKEN ? 1 : 0);
        }

        private void collect(Node node) {
            for (Reading result = node.rounds.poll(); result != null; result = node.rounds.poll()) {
                if (node.parent == null) {
                    atRoot.computeIfAbsent(result.round(), unused -> new ArrayList<>()).add(result);
                } else {
                    send(node.parent, result, spread == 0 ? 0 : random.nextInt((int) spread));
                }
            }
        }
    }

    /** @param gap between two rounds */
    private static World run(Random random, int faultPercent, int spreadPercent, boolean byNumber, long gap) {
        World world = new World(random, faultPercent, WAIT * spreadPercent / 100, byNumber);
        world.grow(null, DEPTH);
        for (int round = 0; round < ROUNDS; round++) {
            for (int source = 0; source < world.parents.size(); source++) {
                long delay = round * gap + (world.spread == 0 ? 0 : random.nextInt((int) world.spread));
                world.send(world.parents.get(source), Reading.of(Kind.INTEGER, 1, round, source, 1L << source), delay);
            }
        }
        world.run();
        return world;
    }

    @Property(tries = 500)
    void theResultIsTheFoldOfTheContributorsThatItNames(@ForAll Random random, @ForAll @IntRange(max = 40) int faultPercent,
            @ForAll @IntRange(max = 250) int spreadPercent, @ForAll boolean byNumber) {
        World world = run(random, faultPercent, spreadPercent, byNumber, WAIT);
        for (List<Reading> results : world.atRoot.values()) {
            assertThat(results).as("one result a round").hasSize(1);
            Reading result = results.get(0);
            long contributors = result.sumRest();
            assertThat(contributors >>> world.parents.size()).as("nobody else, nobody twice").isZero();
            assertThat(result.count()).isEqualTo(Long.bitCount(contributors));
            assertThat(result.max()).isEqualTo(Long.highestOneBit(contributors));
            assertThat(result.min()).isEqualTo(Long.lowestOneBit(contributors));
            assertThat(result.sumFront()).isZero();
            boolean all = result.count() == world.parents.size();
            assertThat(byNumber && result.has(Reading.PARTIAL)).as("partial says that some are missing").isEqualTo(byNumber && !all);
            assertThat(result.has(Reading.FINAL)).isTrue();
        }
        for (Node node : world.nodes) {
            assertThat(node.totals.readings.sum() + node.late + node.duplicates).isEqualTo(node.delivered);
            assertThat(node.rounds.open()).isZero();
            assertThat(node.totals.openRounds.get()).isZero();
        }
    }

    @Property(tries = 200)
    void everybodyIsInItWhenNothingIsLostAndNothingTakesLongerThanANodeWaits(@ForAll Random random, @ForAll @IntRange(max = 15) int spreadPercent,
            @ForAll boolean byNumber) {
        World world = run(random, 0, spreadPercent, byNumber, 2 * DEPTH * WAIT);
        assertThat(world.atRoot).hasSize(ROUNDS);
        // A node that is told no number learns from its first rounds how deep the tree is below it.
        for (long round = byNumber ? 0 : DEPTH; round < ROUNDS; round++) {
            List<Reading> results = world.atRoot.get(round);
            assertThat(results.get(0).sumRest()).as("round %d", round).isEqualTo((1L << world.parents.size()) - 1);
            assertThat(results.get(0).has(Reading.PARTIAL)).isFalse();
        }
    }
}
