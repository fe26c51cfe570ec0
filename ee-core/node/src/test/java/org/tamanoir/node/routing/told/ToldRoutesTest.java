package org.tamanoir.node.routing.told;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tamanoir.node.routing.told.SimulatedNetwork.MILLI;
import static org.tamanoir.node.routing.told.SimulatedNetwork.SECOND;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.tamanoir.node.routing.told.ToldMessage.Kind;
import org.tamanoir.service.rule.Prefix;

/** What is told and believed, to and from whom, and what a neighbour that lies can do. */
class ToldRoutesTest {
    private static final Prefix SITE = Prefix.parse("10.1.0.0/16");
    private static final Prefix OTHER = Prefix.parse("10.2.0.0/16");
    private static final Prefix ALL = Prefix.parse("0.0.0.0/0");
    private static final List<Prefix> NETS = List.of(Prefix.parse("10.0.0.0/8"));
    private static final long ME = 77;
    private static final long LIAR = 66;

    /** A node, and a neighbour in slot 0 that says whatever the test wants. */
    private final Deque<ToldMessage> said = new ArrayDeque<>();
    private long now = -5 * SECOND;
    private long drawn = 1000;
    private long number;
    private ToldRoutes routes = new ToldRoutes(ME, ToldTimes.USUAL, () -> drawn++, (slot, message) -> said.add(message), now);

    private static ToldPolicy policy(List<Prefix> tell, List<Prefix> believe) {
        return new ToldPolicy(tell, believe, 1, 100);
    }

    private static SimulatedNetwork row(ToldPolicy... policies) {
        SimulatedNetwork network = new SimulatedNetwork(3, policies.length / 2 + 1, 50 * MILLI, node -> { });
        for (int i = 0; i < policies.length / 2; i++) {
            network.link(i, i + 1, policies[2 * i], policies[2 * i + 1]);
        }
        network.nodes.get(0).own = Set.of(SITE, OTHER, ALL);
        network.nodes.forEach(node -> node.start(1));
        network.runUntil(network.now + 4 * SECOND);
        return network;
    }

    private static List<Prefix> known(SimulatedNetwork network, int node) {
        return network.nodes.get(node).routes.ways().stream().map(ToldWay::prefix).sorted((a, b) -> a.toString().compareTo(b.toString())).toList();
    }

    @Test
    void nothingIsToldOrBelievedThatIsNotListed() {
        ToldPolicy both = policy(NETS, NETS);
        ToldPolicy site = policy(List.of(SITE), NETS);
        SimulatedNetwork told = row(both, both, site, both);
        assertThat(known(told, 1)).containsExactly(SITE, OTHER);
        assertThat(known(told, 2)).containsExactly(SITE);
        assertThat(told.nodes.get(2).routes.way(SITE).metric()).isEqualTo(2);

        SimulatedNetwork believed = row(both, policy(NETS, List.of(OTHER)), both, both);
        assertThat(known(believed, 1)).containsExactly(OTHER);
        assertThat(known(believed, 2)).containsExactly(OTHER);
        assertThat(believed.nodes.get(1).routes.status(0).refused()).containsEntry(ToldRefusal.NOT_BELIEVED, 1L);
    }

    @Test
    void theWholeInternetIsToldAndBelievedOnlyWhereItIsListedItself() {
        ToldPolicy halves = policy(List.of(Prefix.parse("0.0.0.0/1"), Prefix.parse("128.0.0.0/1")), List.of(ALL));
        ToldPolicy everything = policy(List.of(ALL), List.of(ALL));
        assertThat(known(row(halves, everything), 1)).containsExactly(SITE, OTHER);
        assertThat(known(row(everything, halves), 1)).containsExactly(ALL, SITE, OTHER);
        assertThat(known(row(policy(List.of(), NETS), everything), 1)).isEmpty();
    }

    @Test
    void aListThatIsChangedTakesEffectOnWhatIsKnown() {
        ToldPolicy both = policy(NETS, NETS);
        SimulatedNetwork network = row(both, both);
        ToldRoutes first = network.nodes.get(0).routes;
        ToldRoutes second = network.nodes.get(1).routes;
        second.neighbour(0, policy(NETS, List.of(OTHER)), network.now);
        assertThat(second.way(SITE).slot()).isEqualTo(ToldWay.NONE);
        second.neighbour(0, both, network.now);
        network.runUntil(network.now + SECOND);
        assertThat(second.way(SITE).metric()).as("it asked for everything anew").isEqualTo(1);
        network.nodes.get(0).policies.put(0, policy(List.of(OTHER), NETS));
        first.neighbour(0, policy(List.of(OTHER), NETS), network.now);
        network.runUntil(network.now + SECOND);
        assertThat(second.way(SITE).slot()).as("taken back").isEqualTo(ToldWay.NONE);
        network.runUntil(network.now + 10 * SECOND);
        assertThat(second.way(SITE)).as("forgotten").isNull();
        assertThat(second.way(OTHER).metric()).isEqualTo(1);
    }

    @Test
    void whatTheConfigurationLeadsIsNotBelieved() {
        meet(policy(NETS, NETS));
        routes.configure(Set.of(), List.of(SITE), 1, now);
        tells(new ToldPrefix(Prefix.parse("10.1.9.0/24"), 1, 3), new ToldPrefix(OTHER, 1, 3));
        assertThat(routes.way(Prefix.parse("10.1.9.0/24"))).isNull();
        assertThat(routes.way(OTHER).metric()).isEqualTo(4);
        routes.configure(Set.of(), List.of(OTHER), 1, now);
        assertThat(routes.way(OTHER).slot()).isEqualTo(ToldWay.NONE);
        assertThat(said.getLast().kind()).as("what is believed now has to be told again").isEqualTo(Kind.ANEW);
        assertThat(routes.status(0).refused()).containsEntry(ToldRefusal.CONFIGURED, 1L);
    }

    private void meet(ToldPolicy policy) {
        routes.neighbour(0, policy, now);
        pass(2 * SECOND);
        assertThat(said.getLast().kind()).isEqualTo(Kind.HELLO);
        says(Kind.HELLO, List.of(), List.of());
        assertThat(routes.status(0).isUp()).isTrue();
    }

    private void says(Kind kind, List<ToldPrefix> told, List<ToldPrefix> asked) {
        ToldMessage last = said.getLast();
        routes.received(0, new ToldMessage(kind, LIAR, 5, last.session(), ++number, last.number(), told, asked), now);
    }

    private void tells(ToldPrefix... told) {
        says(Kind.TOLD, List.of(told), List.of());
    }

    /** Time passes; the neighbour is not silent. */
    private void pass(long time) {
        for (long end = now + time; now < end; now += 50 * MILLI) {
            routes.tick(now);
            if (number > 0) {
                tells();
            }
        }
    }

    @Test
    void aNeighbourThatFallsSilentOrCannotBeUsedIsBelievedNoLonger() {
        meet(policy(NETS, NETS));
        tells(new ToldPrefix(SITE, 1, 0));
        assertThat(routes.way(SITE)).isEqualTo(new ToldWay(SITE, 0, 1, 1));
        routes.available(0, false, now);
        assertThat(routes.way(SITE).slot()).isEqualTo(ToldWay.NONE);
        tells(new ToldPrefix(SITE, 1, 0));
        assertThat(routes.status(0).isUp()).isFalse();
        routes.available(0, true, now);
        routes.tick(now);
        tells(new ToldPrefix(SITE, 1, 0));
        assertThat(routes.way(SITE).slot()).isZero();
        now += ToldTimes.USUAL.silence() + 1;
        routes.tick(now);
        assertThat(routes.way(SITE).slot()).isEqualTo(ToldWay.NONE);
    }

    @Test
    void messagesThatWereSeenOrAreOldOrOwnOrOfAStrangerChangeNothing() {
        meet(policy(NETS, NETS));
        ToldMessage last = said.getLast();
        List<ToldPrefix> site = List.of(new ToldPrefix(SITE, 1, 0));
        ToldMessage seen = new ToldMessage(Kind.TOLD, LIAR, 5, last.session(), 10, last.number(), List.of(), List.of());
        routes.received(0, seen, now);
        long in = routes.changes();
        for (ToldMessage wrong : List.of(seen,
                new ToldMessage(Kind.TOLD, LIAR, 5, last.session(), 9, last.number(), site, List.of()),
                new ToldMessage(Kind.TOLD, LIAR, 5, last.session() + 1, 11, last.number(), site, List.of()),
                new ToldMessage(Kind.TOLD, LIAR, 6, last.session() + 1, 11, last.number(), site, List.of()),
                new ToldMessage(Kind.TOLD, LIAR, 6, last.session(), 11, last.number() + 100, site, List.of()),
                new ToldMessage(Kind.TOLD, ME, 5, last.session(), 11, last.number(), site, List.of()))) {
            routes.received(0, wrong, now);
            assertThat(routes.way(SITE)).as("after %s", wrong).isNull();
            assertThat(routes.status(0).isUp()).isTrue();
        }
        routes.received(1, new ToldMessage(Kind.TOLD, LIAR, 5, last.session(), 11, last.number(), site, List.of()), now);
        assertThat(routes.way(SITE)).as("from nobody's slot").isNull();
        assertThat(routes.changes()).isEqualTo(in);
        assertThat(routes.status(0).refused()).containsKeys(ToldRefusal.STALE, ToldRefusal.OWN);
    }

    /** Replays of all that was ever said, to a node that has begun anew. */
    @Test
    void whatWasSaidToAnEarlierLifeIsNotBelieved() {
        meet(policy(NETS, NETS));
        List<ToldMessage> recorded = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ToldMessage last = said.getLast();
            recorded.add(new ToldMessage(Kind.TOLD, LIAR, 5, last.session(), ++number, last.number(), List.of(new ToldPrefix(SITE, i, 0)), List.of()));
            routes.received(0, recorded.get(i), now);
        }
        routes = new ToldRoutes(ME, ToldTimes.USUAL, () -> drawn++, (slot, message) -> said.add(message), now);
        routes.neighbour(0, policy(NETS, NETS), now);
        number = 0;
        pass(2 * SECOND);
        recorded.forEach(each -> routes.received(0, each, now));
        assertThat(routes.ways()).isEmpty();
        assertThat(routes.status(0).isUp()).isFalse();
    }

    @Test
    void aNeighbourAddsNoMorePrefixesThanItMayHoweverItTakesThemBack() {
        meet(policy(NETS, NETS));
        for (int round = 0; round < 20; round++) {
            for (int block = 0; block < 10; block++) {
                int from = round * 300 + block * 30;
                List<ToldPrefix> told = IntStream.range(from, from + 30).mapToObj(i -> new ToldPrefix(Prefix.parse("10." + (i >> 8) + "." + (i & 255) + ".0/24"), 1, 1)).toList();
                says(Kind.TOLD, told, List.of());
                assertThat(routes.ways()).hasSizeLessThanOrEqualTo(100);
                says(Kind.TOLD, told.stream().map(each -> new ToldPrefix(each.prefix(), 1, ToldPrefix.UNREACHABLE)).toList(), List.of());
            }
        }
        assertThat(routes.ways()).hasSize(100);
        assertThat(routes.status(0).refused().get(ToldRefusal.TOO_MANY)).isEqualTo(20 * 300 - 100);
        pass(ToldTimes.USUAL.forget() + SECOND);
        assertThat(routes.ways()).as("and all are forgotten").isEmpty();
        assertThatThrownBy(() -> IntStream.range(0, 65).forEach(slot -> routes.neighbour(slot, policy(NETS, NETS), now))).isInstanceOf(IllegalStateException.class);
    }

    /** The last round there is: nobody can have a later one. But it is forgotten with the liar. */
    @Test
    void aLieAboutRoundsIsForgottenWhenTheLiarIsGone() {
        ToldPolicy both = policy(NETS, NETS);
        SimulatedNetwork network = new SimulatedNetwork(3, 4, 50 * MILLI, node -> { });
        network.link(0, 1, both, both);
        network.link(1, 2, both, both);
        network.link(2, 3, both, both);
        network.nodes.get(0).own = Set.of(SITE);
        network.nodes.get(3).own = Set.of(SITE);
        network.nodes.get(0).start(1);
        network.nodes.get(1).start(1);
        network.nodes.get(2).start(1);
        network.nodes.get(3).start(Long.MAX_VALUE);
        network.runUntil(network.now + 5 * SECOND);
        assertThat(network.nodes.get(2).routes.way(SITE).sequence()).isEqualTo(Long.MAX_VALUE);
        network.nodes.get(3).stop();
        network.runUntil(network.now + 15 * SECOND);
        assertThat(network.nodes.get(2).routes.way(SITE)).isEqualTo(new ToldWay(SITE, 0, 2, 1));
    }

    @Test
    void aRequestForAnImpossibleRoundOrASecretPrefixIsRefused() {
        meet(policy(List.of(SITE), NETS));
        routes.configure(Set.of(SITE, OTHER), List.of(), 1000, now);
        says(Kind.TOLD, List.of(), List.of(new ToldPrefix(SITE, Long.MAX_VALUE, ToldPrefix.UNREACHABLE), new ToldPrefix(OTHER, 1001, ToldPrefix.UNREACHABLE)));
        assertThat(routes.status(0).refused()).containsEntry(ToldRefusal.NOT_TOLD, 2L);
        assertThat(routes.way(SITE).sequence()).isEqualTo(1000);
        says(Kind.TOLD, List.of(), List.of(new ToldPrefix(SITE, 1001, ToldPrefix.UNREACHABLE)));
        assertThat(routes.way(SITE).sequence()).isEqualTo(1001);
        says(Kind.TOLD, List.of(), List.of(new ToldPrefix(SITE, 1002, ToldPrefix.UNREACHABLE)));
        assertThat(routes.way(SITE).sequence()).as("not twice in a moment").isEqualTo(1001);
        says(Kind.TOLD, List.of(), List.of(new ToldPrefix(Prefix.parse("10.1.7.0/24"), 1, ToldPrefix.UNREACHABLE)));
        assertThat(routes.way(Prefix.parse("10.1.7.0/24"))).as("asking makes nothing").isNull();
    }

    @Test
    void aMetricThatReachesTheEndIsNoWay() {
        meet(new ToldPolicy(NETS, NETS, 10, 100));
        tells(new ToldPrefix(SITE, 1, ToldPrefix.UNREACHABLE - 10), new ToldPrefix(OTHER, 1, ToldPrefix.UNREACHABLE));
        assertThat(routes.way(SITE).slot()).isEqualTo(ToldWay.NONE);
        assertThat(routes.way(OTHER)).isNull();
        tells(new ToldPrefix(SITE, 1, ToldPrefix.UNREACHABLE - 11));
        assertThat(routes.way(SITE).metric()).isEqualTo(ToldPrefix.UNREACHABLE - 1);
    }
}
