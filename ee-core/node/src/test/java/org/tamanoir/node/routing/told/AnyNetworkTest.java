package org.tamanoir.node.routing.told;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tamanoir.node.routing.told.SimulatedNetwork.MILLI;
import static org.tamanoir.node.routing.told.SimulatedNetwork.SECOND;

import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import org.tamanoir.node.routing.told.SimulatedNetwork.Link;
import org.tamanoir.node.routing.told.SimulatedNetwork.Node;
import org.tamanoir.service.rule.Prefix;

/** Small networks of every shape in which links and nodes die and come back: no loop at any instant, and the shortest ways when all is quiet. */
class AnyNetworkTest {
    /** Longest first. Each holds the one before, so that a stream may pass from one to another. */
    private static final List<Prefix> PREFIXES = List.of(Prefix.parse("10.1.2.0/24"), Prefix.parse("10.1.0.0/16"), Prefix.parse("10.0.0.0/8"), Prefix.parse("fd00::/8"));
    private static final List<InetAddress> ADDRESSES = PREFIXES.stream().map(Prefix::network).toList();
    private static final List<Prefix> EVERYTHING = List.of(Prefix.parse("0.0.0.0/0"), Prefix.parse("::/0"));

    private SimulatedNetwork network;
    /** By node, what it was when it was last looked at: the life of the node and the changes of its table. */
    private long[][] seen;
    private long events;
    private boolean withPolicies;

    @Property(tries = 400)
    void neverLoopsAndEndsWithTheShortestWays(@ForAll long seed) {
        run(seed);
    }

    @Tag("sweep")
    @Property(tries = 20_000)
    void neverLoopsAndEndsWithTheShortestWaysInTwentyThousandNetworks(@ForAll long seed) {
        run(seed);
    }

    /** Here both ends of a link once answered each other without end and did not agree. */
    @Example
    void neighboursMeetAgainThoughBothBeganAnewAtOnce() {
        run(-111072);
        run(1121);
    }

    private void run(long seed) {
        Random random = new Random(seed);
        int size = 2 + random.nextInt(8);
        network = new SimulatedNetwork(seed, size, 50 * MILLI, this::afterEvent);
        seen = new long[size][2];
        withPolicies = random.nextInt(3) == 0;
        build(random, size);
        storm(random, size);
        network.loss = 0;
        network.twice = 0;
        network.longestDelay = 1 + random.nextLong(50 * MILLI);
        for (Node node : network.nodes) {
            if (node.routes == null && random.nextInt(4) > 0) {
                node.start(random.nextInt(3));
            }
        }
        network.runUntil(network.now + 20 * SECOND);
        for (Node node : network.nodes) {
            assertThat(node.sent).as("seed %d: messages of %d, to %d neighbours", seed, node.number, node.links.size()).isLessThan(1500L * node.links.size());
        }
        for (Prefix prefix : PREFIXES) {
            int[] shortest = network.shortest(prefix);
            for (Node node : network.nodes) {
                if (node.routes != null) {
                    ToldWay way = node.routes.way(prefix);
                    assertThat(way == null ? ToldPrefix.UNREACHABLE : way.metric()).as("seed %d: metric of %s at %d", seed, prefix, node.number).isEqualTo(shortest[node.number]);
                }
            }
        }
    }

    private void build(Random random, int size) {
        for (int i = 1; i < size; i++) {
            link(random, random.nextInt(i), i);
        }
        for (int more = random.nextInt(2 * size); more > 0; more--) {
            int a = random.nextInt(size);
            int b = random.nextInt(size);
            if (a != b && !network.areLinked(a, b)) {
                link(random, a, b);
            }
        }
        for (Node node : network.nodes) {
            node.own = own(random, size);
            node.start(random.nextInt(3));
        }
    }

    private void link(Random random, int a, int b) {
        network.link(a, b, policy(random), policy(random));
    }

    private ToldPolicy policy(Random random) {
        return new ToldPolicy(list(random), list(random), 1 + random.nextInt(random.nextBoolean() ? 3 : 20), 100);
    }

    private List<Prefix> list(Random random) {
        return !withPolicies || random.nextInt(3) > 0 ? EVERYTHING : PREFIXES.stream().filter(each -> random.nextBoolean()).toList();
    }

    private static Set<Prefix> own(Random random, int size) {
        Set<Prefix> own = new HashSet<>();
        PREFIXES.stream().filter(each -> random.nextInt(size) == 0).forEach(own::add);
        return own;
    }

    private void storm(Random random, int size) {
        network.loss = random.nextInt(3) * 0.15;
        network.twice = random.nextInt(2) * 0.1;
        network.reorders = random.nextInt(4) == 0;
        network.longestDelay = 1 + random.nextLong(random.nextBoolean() ? 40 * MILLI : 600 * MILLI);
        for (int change = 5 + random.nextInt(25); change > 0; change--) {
            network.runUntil(network.now + random.nextLong(random.nextBoolean() ? 300 * MILLI : 3 * SECOND));
            Node node = network.nodes.get(random.nextInt(size));
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    Link link = network.links.get(random.nextInt(network.links.size()));
                    link.isUp = !link.isUp;
                }
                case 2 -> {
                    node.stop();
                    if (random.nextBoolean()) {
                        node.start(random.nextInt(3));
                    }
                }
                case 3 -> {
                    if (node.routes != null && node.forwards()) {
                        node.own = own(random, size);
                        node.routes.configure(node.own, List.of(), random.nextInt(3), network.now);
                    }
                }
                case 4 -> node.stalledUntil = network.now + random.nextLong(3 * SECOND);
                default -> {
                    int slot = random.nextInt(node.links.size());
                    node.policies.put(slot, policy(random));
                    if (node.routes != null && node.forwards()) {
                        node.routes.neighbour(slot, node.policies.get(slot), network.now);
                    } else {
                        node.stop();
                    }
                }
            }
            noLoopThrough(node.number);
        }
    }

    /** Nothing need be looked at where nothing has changed; but now and then it is, in case the count of changes is wrong. */
    private void afterEvent(int number) {
        Node node = network.nodes.get(number);
        long changes = node.routes == null ? -1 : node.routes.changes();
        if (seen[number][0] != node.life || seen[number][1] != changes || ++events % 16 == 0) {
            seen[number] = new long[] {node.life, changes};
            noLoopThrough(number);
        }
    }

    /** What has changed has changed at one node, so a loop that begins goes through it. */
    private void noLoopThrough(int node) {
        for (InetAddress address : ADDRESSES) {
            List<Integer> path = network.path(node, address, PREFIXES);
            assertThat(path.size()).as("way to %s: %s", address, path).isLessThanOrEqualTo(network.nodes.size());
        }
        for (Prefix prefix : PREFIXES) {
            List<Integer> path = network.path(node, prefix.network(), List.of(prefix));
            assertThat(path.size()).as("way to %s: %s", prefix, path).isLessThanOrEqualTo(network.nodes.size());
        }
    }
}
