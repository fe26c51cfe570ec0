package org.tamanoir.services.election;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tamanoir.services.election.Agreement.Action;
import org.tamanoir.services.election.Agreement.Keep;
import org.tamanoir.services.election.Agreement.Outcome;
import org.tamanoir.services.election.Agreement.Send;
import org.tamanoir.services.election.Message.Lease;

/** Nodes that lose each other's messages, die, forget and come back, with clocks of their own: at no time has a group two holders, and numbers only grow. */
class AgreementTest {
    private static final long MILLI = 1_000_000L;
    private static final long LEASE = 1000;
    private static final long PATIENCE = 100 * MILLI;
    private static final String GROUP = "g";

    /** A world of so many nodes, each of which wants the group for itself all the time. Times are nanoseconds of the world unless they are a node's. */
    private static final class World {
        private final Random random;
        private final PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
        private final List<Member> members = new ArrayList<>();
        private final List<Held> held = new ArrayList<>();
        private long now;
        private long number;
        private double loss;
        private boolean[][] cut;

        private record Event(long at, long number, Runnable what) {
        }

        /** @param until when the holder himself takes it to be over, or has died */
        private static final class Held {
            private final int by;
            private final long lease;
            private final long from;
            private long until;

            Held(int by, long lease, long from, long until) {
                this.by = by;
                this.lease = lease;
                this.from = from;
                this.until = until;
            }
        }

        World(long seed, int nodes) {
            random = new Random(seed);
            cut = new boolean[nodes][nodes];
            for (int i = 0; i < nodes; i++) {
                members.add(new Member(i));
            }
            members.forEach(Member::start);
        }

        void at(long when, Runnable what) {
            events.add(new Event(when, number++, what));
        }

        void runUntil(long end) {
            while (!events.isEmpty() && events.peek().at() <= end) {
                Event next = events.poll();
                now = next.at();
                next.what().run();
            }
            now = end;
        }

        void send(int from, int to, Message message) {
            if (from != to && (cut[from][to] || random.nextDouble() < loss)) {
                return;
            }
            int copies = from != to && random.nextInt(20) == 0 ? 2 : 1;
            for (int i = 0; i < copies; i++) {
                int life = members.get(to).life;
                at(now + (from == to ? 0 : (1 + random.nextInt(40)) * MILLI), () -> {
                    Member member = members.get(to);
                    // What was under way to one that died comes to its successor.
                    if (member.alive && (life == member.life || random.nextBoolean())) {
                        member.did(() -> member.agreement.receive(member.clock(), from, message));
                    }
                });
            }
        }

        void holds(int by, Lease lease, long until) {
            for (Held other : held) {
                assertThat(other.by == by || other.until <= now).as("%d and %d hold it at once, with %d and %d", by, other.by, lease.number(), other.lease).isTrue();
                assertThat(other.by == by ? lease.number() >= other.lease : lease.number() > other.lease)
                        .as("%d has the number %d after %d of %d", by, lease.number(), other.lease, other.by).isTrue();
            }
            held.removeIf(other -> other.until < now - 10 * LEASE * MILLI && other != held.get(held.size() - 1));
            held.add(new Held(by, lease.number(), now, until));
        }

        private final class Member {
            private final int index;
            private final double rate;
            private final long offset;
            private Agreement agreement;
            private boolean alive;
            private int life;
            private long kept;

            Member(int index) {
                this.index = index;
                this.rate = 1 + (random.nextDouble() - 0.5) / Agreement.DRIFT;
                this.offset = random.nextLong();
            }

            /** A clock of its own that goes a little too fast or too slow. */
            long clock() {
                return offset + (long) (now * rate);
            }

            long world(long clock) {
                return now + (long) ((clock - clock()) / rate);
            }

            void start() {
                alive = true;
                int mine = ++life;
                agreement = new Agreement(index, members.size(), kept, life == 1 ? clock() : clock() + LEASE * MILLI, PATIENCE, random);
                at(now + random.nextInt(100) * MILLI, () -> wants(mine));
                tick(mine);
            }

            void die() {
                alive = false;
                held.stream().filter(each -> each.by == index && each.until > now).forEach(each -> each.until = now);
            }

            private void tick(int mine) {
                if (alive && mine == life) {
                    did(() -> agreement.tick(clock()));
                    at(now + 10 * MILLI, () -> tick(mine));
                }
            }

            private void wants(int mine) {
                if (alive && mine == life) {
                    did(() -> agreement.want(clock(), GROUP, "node " + index, LEASE, clock() + 3 * LEASE * MILLI));
                    at(now + (LEASE / 4 + random.nextInt((int) LEASE / 4)) * MILLI, () -> wants(mine));
                }
            }

            /** The disk takes its time, and what was under way when the node died may be there or not. */
            private void keeps(Keep keep, int mine) {
                if (mine == life && (alive || random.nextBoolean())) {
                    kept = Math.max(kept, keep.round());
                }
                // It may die between the disk and the answer.
                if (mine == life && alive && random.nextInt(50) > 0) {
                    agreement.kept(keep.round());
                    keep.then().forEach(send -> send(index, send.to(), send.message()));
                }
            }

            void did(Runnable what) {
                what.run();
                for (Action action : agreement.actions()) {
                    if (action instanceof Send send) {
                        send(index, send.to(), send.message());
                    } else if (action instanceof Keep keep) {
                        int mine = life;
                        at(now + random.nextInt(60) * MILLI, () -> keeps(keep, mine));
                    } else if (action instanceof Outcome outcome && outcome.lease() != null) {
                        holds(index, outcome.lease(), world(outcome.until()));
                    }
                }
            }
        }
    }

    private static void hostile(long seed) {
        Random script = new Random(seed * 31);
        World world = new World(seed, 3 + script.nextInt(3) * (1 + script.nextInt(2)));
        for (int step = 0; step < 40; step++) {
            world.loss = script.nextInt(4) * 0.1;
            int nodes = world.members.size();
            int border = script.nextInt(nodes + 1);
            for (int i = 0; i < nodes; i++) {
                for (int j = 0; j < nodes; j++) {
                    // Parted in two, one way only now and then; or whole.
                    world.cut[i][j] = step % 3 != 0 && (i < border) != (j < border) && (i < j || script.nextInt(4) > 0);
                }
            }
            World.Member victim = world.members.get(script.nextInt(nodes));
            if (script.nextInt(3) == 0 && victim.alive) {
                victim.die();
            } else if (!victim.alive) {
                victim.start();
            }
            world.runUntil(world.now + (50 + script.nextInt(1500)) * MILLI);
        }
    }

    @Test
    @Tag("seeded")
    void aHundredWorldsOfPartitions() {
        for (long seed = 0; seed < 100; seed++) {
            run(seed);
        }
    }

    @Test
    @Tag("sweep")
    void aThousandWorldsOfPartitions() {
        for (long seed = 1000; seed < 2000; seed++) {
            run(seed);
        }
    }

    private static void run(long seed) {
        try {
            hostile(seed);
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    /** The holder dies, and the others are whole. */
    @ParameterizedTest
    @ValueSource(ints = {3, 5, 9})
    @Tag("seeded")
    void aNewHolderIsThereWithinTwoLeases(int nodes) {
        for (long seed = 0; seed < 30; seed++) {
            World world = new World(seed, nodes);
            world.loss = 0.05;
            world.runUntil(5 * LEASE * MILLI);
            World.Held last = world.held.get(world.held.size() - 1);
            assertThat(last.until).as("seed %d: it is held", seed).isGreaterThan(world.now);
            world.members.get(last.by).die();
            long died = world.now;
            world.runUntil(died + 2 * LEASE * MILLI);
            World.Held next = world.held.stream().filter(each -> each.from > died).findFirst().orElse(null);
            assertThat(next).as("seed %d: a new holder of %d nodes within two leases", seed, nodes).isNotNull();
        }
    }

    @Test
    @Tag("seeded")
    void whoRenewsKeepsItsNumberAndWhoReleasesIsFollowedAtOnce() {
        World world = new World(7, 3);
        world.runUntil(20 * LEASE * MILLI);
        assertThat(world.held.stream().mapToLong(each -> each.lease).distinct().count()).as("numbers in twenty leases").isEqualTo(1);
        World.Held last = world.held.get(world.held.size() - 1);
        World.Member holder = world.members.get(last.by);
        holder.did(() -> holder.agreement.release(GROUP, "node " + last.by));
        world.held.forEach(each -> each.until = Math.min(each.until, world.now));
        holder.life++;
        long released = world.now;
        world.runUntil(released + LEASE * MILLI * 3 / 4);
        assertThat(world.held.stream().anyMatch(each -> each.from > released && each.by != last.by)).as("a holder in less than a lease").isTrue();
    }

    // One node by itself, among three whose answers the test makes up.

    private static Agreement alone(long kept) {
        return new Agreement(0, 3, kept, 0, PATIENCE, new Random(1));
    }

    private static List<Message> said(Agreement node, int to) {
        List<Message> said = new ArrayList<>();
        for (Action action : node.actions()) {
            if (action instanceof Keep keep) {
                node.kept(keep.round());
            }
            List<Send> sends = action instanceof Send send ? List.of(send) : action instanceof Keep keep ? keep.then() : List.of();
            sends.stream().filter(send -> send.to() == to).forEach(send -> said.add(send.message()));
        }
        return said;
    }

    private static Outcome outcome(Agreement node) {
        return (Outcome) node.actions().stream().filter(Outcome.class::isInstance).findFirst().orElse(null);
    }

    @Test
    void aMajorityThatIsSilentIsSaidWhenPatienceIsOverAndNotBefore() {
        Agreement node = alone(0);
        node.want(0, GROUP, "h", LEASE, LEASE * MILLI);
        assertThat(said(node, 1)).hasSize(1);
        long at = 0;
        int asked = 0;
        Outcome said = null;
        for (long next = node.tick(0); said == null; next = node.tick(at)) {
            at = next;
            for (Action action : node.actions()) {
                asked += action instanceof Send send && send.to() == 1 ? 1 : 0;
                said = action instanceof Outcome outcome ? outcome : said;
            }
            assertThat(at).as("it is said in time").isLessThan(LEASE * MILLI + 4 * PATIENCE);
        }
        assertThat(asked).as("asked again").isBetween(3, 10);
        assertThat(said.lease()).isNull();
        assertThat(said.holder()).isNull();
        assertThat(at).isGreaterThanOrEqualTo(LEASE * MILLI);
        assertThat(node.tick(at)).as("there is nothing to be done soon").isEqualTo(at + PATIENCE);
    }

    @Test
    void promisesOfAnEarlierBallotAndAnswersOfAnotherPhaseDoNotCount() {
        Agreement node = alone(0);
        node.want(0, GROUP, "h", LEASE, LEASE * MILLI);
        long first = said(node, 1).get(0).ballot();
        node.receive(0, 1, new Message.Promise(GROUP, first, true, first, null, 0));
        node.tick(2 * PATIENCE);
        long second = said(node, 1).get(0).ballot();
        assertThat(second).isGreaterThan(first);
        node.receive(2 * PATIENCE, 2, new Message.Promise(GROUP, second, true, second, null, 0));
        assertThat(said(node, 1)).as("one promise of two, however many there were before").isEmpty();
        node.receive(2 * PATIENCE, 1, new Message.Promise(GROUP, first, true, first, null, 0));
        assertThat(said(node, 1)).isEmpty();
        node.receive(2 * PATIENCE, 0, new Message.Promise(GROUP, second, true, second, null, 0));
        assertThat(said(node, 1)).singleElement().isInstanceOf(Message.Propose.class);
        node.receive(2 * PATIENCE, 1, new Message.Accepted(GROUP, second, true, second));
        assertThat(outcome(node)).as("one of three has accepted, and promises are none").isNull();
        node.receive(2 * PATIENCE, 1, new Message.Accepted(GROUP, second, true, second));
        assertThat(outcome(node)).as("the same one twice").isNull();
        node.receive(2 * PATIENCE, 2, new Message.Accepted(GROUP, second, true, second));
        Outcome held = outcome(node);
        assertThat(held.lease()).isEqualTo(new Lease(second, "h", LEASE));
        assertThat(held.until()).isEqualTo(2 * PATIENCE + LEASE * MILLI / 100 * 99);
        assertThat(held.holder()).isEqualTo("h");
    }

    @Test
    void whoeverHoldsItIsNamedToThoseWhoWantIt() {
        Agreement node = alone(0);
        node.want(0, GROUP, "h", LEASE, LEASE * MILLI);
        long ballot = said(node, 1).get(0).ballot();
        node.want(0, GROUP, "h", LEASE, LEASE * MILLI);
        assertThat(node.actions()).as("the same wish").isEmpty();
        node.want(0, GROUP, "i", LEASE, LEASE * MILLI);
        assertThat(outcome(node)).isEqualTo(new Outcome(GROUP, "i", null, 0, "h"));
        node.receive(0, 1, new Message.Promise(GROUP, ballot, false, ballot, new Lease(7, "other", 500), 0));
        assertThat(outcome(node)).as("two of three could still be had").isNull();
        node.receive(0, 2, new Message.Promise(GROUP, ballot, false, ballot + 5000, null, 0));
        assertThat(outcome(node)).isEqualTo(new Outcome(GROUP, "h", null, 0, "other"));
        assertThat(node.holder(0, GROUP)).isNull();
        node.receive(0, 2, new Message.Propose(GROUP, ballot + 9000, new Lease(9, "other", 500)));
        node.actions();
        assertThat(node.holder(500 * MILLI - 1, GROUP)).isEqualTo(new Lease(9, "other", 500));
        assertThat(node.holder(500 * MILLI, GROUP)).isNull();
        assertThat(node.holder(0, "unknown")).isNull();
        node.want(600 * MILLI, GROUP, "h", LEASE, LEASE * MILLI);
        assertThat(said(node, 1).get(0).ballot()).as("larger than all that were seen").isGreaterThan(ballot + 9000);
    }

    @Test
    void aBallotThatIsRefusedIsTriedAgainSoonWithALargerOne() {
        Agreement node = alone(0);
        node.want(0, GROUP, "h", LEASE, LEASE * MILLI);
        long ballot = said(node, 1).get(0).ballot();
        for (int from = 1; from < 3; from++) {
            node.receive(0, from, new Message.Promise(GROUP, ballot, false, ballot + (50L << 10), null, 0));
        }
        assertThat(outcome(node)).isNull();
        node.tick(PATIENCE);
        long second = said(node, 1).get(0).ballot();
        assertThat(second).isGreaterThan(ballot + (50L << 10));
        node.receive(PATIENCE, 1, new Message.Promise(GROUP, second, true, second, null, 0));
        node.receive(PATIENCE, 2, new Message.Promise(GROUP, second, true, second, null, 0));
        said(node, 1);
        for (int from = 1; from < 3; from++) {
            node.receive(PATIENCE, from, new Message.Accepted(GROUP, second, false, second + 9000));
        }
        node.tick(4 * PATIENCE);
        assertThat(said(node, 1)).singleElement().isInstanceOf(Message.Prepare.class);
    }

    @Test
    void oneThatMayNotAnswerYetSaysNothingAndOneThatCameBackPromisesNothingOld() {
        Agreement node = new Agreement(0, 3, 70, LEASE * MILLI, PATIENCE, new Random(1));
        node.receive(LEASE * MILLI - 1, 1, new Message.Prepare(GROUP, 9999L << 10, "h"));
        node.receive(LEASE * MILLI - 1, 1, new Message.Propose(GROUP, 9999L << 10, new Lease(1, "h", LEASE)));
        assertThat(node.actions()).isEmpty();
        node.receive(LEASE * MILLI, 1, new Message.Prepare(GROUP, 70L << 10, "h"));
        assertThat(said(node, 1)).singleElement().satisfies(answer -> assertThat(((Message.Promise) answer).granted()).isFalse());
        node.receive(LEASE * MILLI, 1, new Message.Prepare(GROUP, 71L << 10, "h"));
        Keep first = (Keep) node.actions().get(0);
        assertThat(first.round()).isGreaterThanOrEqualTo(71);
        node.receive(LEASE * MILLI, 1, new Message.Prepare(GROUP, 72L << 10, "h"));
        assertThat(node.actions()).as("the bound is on its way to the disk, or was never kept").singleElement()
                .isInstanceOfSatisfying(Keep.class, keep -> assertThat(keep.round()).isEqualTo(first.round()));
        node.kept(first.round());
        node.receive(LEASE * MILLI, 1, new Message.Prepare(GROUP, 73L << 10, "h"));
        assertThat(node.actions()).as("within the bound that is kept").singleElement().isInstanceOf(Send.class);
    }

    @Test
    void aHolderThatRenewsOftenKeepsNobodyFromHearingOfIt() {
        Agreement node = alone(0);
        List<Message> asked = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            long now = i * PATIENCE;
            long ballot = (long) i << 10 | 1;
            node.receive(now, 1, new Message.Prepare(GROUP, ballot, "holder"));
            node.receive(now, 1, new Message.Propose(GROUP, ballot, new Lease(1025, "holder", LEASE)));
            if (i == 3) {
                node.want(now, GROUP, "h", LEASE, now + LEASE * MILLI);
            }
            node.tick(now);
            said(node, 2).stream().filter(Message.Prepare.class::isInstance).forEach(asked::add);
        }
        assertThat(asked).as("the others are asked who holds it").isNotEmpty();
    }

    @Test
    void groupsAreBoundedAndWhatIsForgottenIsPromisedLittle() {
        Agreement node = alone(0);
        node.receive(0, 1, new Message.Propose("held", 5000L << 10, new Lease(1, "h", LEASE)));
        for (int i = 0; i < 2 * Agreement.MOST_GROUPS; i++) {
            node.receive(0, 1, new Message.Prepare("g" + i, 6000L << 10, "h"));
        }
        node.actions();
        assertThat(node.holder(0, "held")).as("what somebody holds is not forgotten").isNotNull();
        node.receive(0, 1, new Message.Prepare("g0", 5999L << 10, "h"));
        assertThat(said(node, 1)).singleElement().satisfies(answer -> assertThat(((Message.Promise) answer).granted()).isFalse());
        node.receive(0, 1, new Message.Prepare("g1", 6001L << 10, "h"));
        assertThat(said(node, 1)).singleElement().satisfies(answer -> assertThat(((Message.Promise) answer).granted()).isTrue());
    }

    @Test
    void whereAllGroupsAreHeldThereIsNoRoomForAnotherUntilOneRunsOut() {
        Agreement node = alone(0);
        for (int i = 0; i < Agreement.MOST_GROUPS; i++) {
            node.receive(0, 1, new Message.Propose("held " + i, 5000L << 10, new Lease(1, "h", LEASE)));
        }
        node.actions();
        node.receive(0, 1, new Message.Prepare("more", 6000L << 10, "h"));
        node.receive(0, 1, new Message.Propose("more", 6000L << 10, new Lease(1, "h", LEASE)));
        assertThat(node.want(0, "more", "h", LEASE, LEASE * MILLI)).isFalse();
        assertThat(node.actions()).isEmpty();
        assertThat(node.holder(0, "more")).isNull();
        assertThat(node.want(LEASE * MILLI, "more", "h", LEASE, 2 * LEASE * MILLI)).isTrue();
        assertThat(said(node, 1)).singleElement().isInstanceOf(Message.Prepare.class);
    }
}
