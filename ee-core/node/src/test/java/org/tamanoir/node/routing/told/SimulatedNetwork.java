package org.tamanoir.node.routing.told;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.IntConsumer;
import org.tamanoir.anep.MalformedPacketException;
import org.tamanoir.service.rule.Prefix;

/** Nodes with links between them, in simulated time. Each message crosses a link as octets. */
final class SimulatedNetwork {
    static final long MILLI = 1_000_000L;
    static final long SECOND = 1000 * MILLI;

    final Random random;
    final List<Node> nodes = new ArrayList<>();
    final List<Link> links = new ArrayList<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final long tick;
    private final IntConsumer after;
    long now = 7;
    private long order;
    /** Of the links now. */
    double loss;
    double twice;
    boolean reorders;
    long longestDelay = 10 * MILLI;

    private record Event(long at, long order, int node, Runnable what) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    /** A link. Its ends know it by their own slots. */
    static final class Link {
        final int a;
        final int b;
        final int slotOfA;
        final int slotOfB;
        boolean isUp = true;
        private final long[] last = new long[2];

        Link(int a, int b, int slotOfA, int slotOfB) {
            this.a = a;
            this.b = b;
            this.slotOfA = slotOfA;
            this.slotOfB = slotOfB;
        }
    }

    /** A place where a node runs or does not. */
    final class Node {
        final int number;
        final List<Link> links = new ArrayList<>();
        final Map<Integer, ToldPolicy> policies = new HashMap<>();
        Set<Prefix> own = Set.of();
        ToldRoutes routes;
        /** It does nothing until then, and then what came meanwhile. */
        long stalledUntil;
        long life;
        long sent;
        long octets;

        Node(int number) {
            this.number = number;
        }

        void start(long sequence) {
            life++;
            routes = new ToldRoutes(number + 1, ToldTimes.USUAL, random::nextLong, this::send, now);
            policies.forEach((slot, policy) -> routes.neighbour(slot, policy, now));
            routes.configure(own, List.of(), sequence, now);
            long mine = life;
            SimulatedNetwork.this.at(now + random.nextLong(tick), number, () -> tick(mine));
        }

        void stop() {
            life++;
            routes = null;
        }

        private void tick(long mine) {
            if (life == mine) {
                routes.tick(now);
                SimulatedNetwork.this.at(now + tick, number, () -> tick(mine));
            }
        }

        private void send(int slot, ToldMessage message) {
            Link link = links.get(slot);
            boolean fromA = link.a == number;
            sent++;
            octets += message.size();
            if (message.told().stream().anyMatch(each -> each.isReachable() && !policies.get(slot).tells(each.prefix()))) {
                throw new AssertionError("told what it may not: " + message);
            }
            if (!link.isUp || random.nextDouble() < loss) {
                return;
            }
            ByteBuf octets = Unpooled.buffer(message.size());
            message.write(octets);
            for (int times = random.nextDouble() < twice ? 2 : 1; times > 0; times--) {
                long arrives = now + 1 + random.nextLong(longestDelay);
                int direction = fromA ? 0 : 1;
                if (!reorders) {
                    arrives = Math.max(arrives, link.last[direction]);
                    link.last[direction] = arrives;
                }
                int to = fromA ? link.b : link.a;
                int toSlot = fromA ? link.slotOfB : link.slotOfA;
                SimulatedNetwork.this.at(arrives, to, () -> {
                    Node receiver = nodes.get(to);
                    if (receiver.routes != null) {
                        receiver.routes.received(toSlot, read(octets), now);
                    }
                });
            }
        }

        boolean forwards() {
            return routes != null && stalledUntil < now;
        }

        /** The node to which the way of a slot leads. */
        int behind(int slot) {
            Link link = links.get(slot);
            return link.a == number ? link.b : link.a;
        }
    }

    /**
     * @param tick  how often the nodes are told the time, in ns
     * @param after is called with the number of a node after each event of it
     */
    SimulatedNetwork(long seed, int size, long tick, IntConsumer after) {
        this.random = new Random(seed);
        this.tick = tick;
        this.after = after;
        for (int i = 0; i < size; i++) {
            nodes.add(new Node(i));
        }
    }

    private static ToldMessage read(ByteBuf octets) {
        try {
            return ToldMessage.read(octets, 0, octets.readableBytes());
        } catch (MalformedPacketException e) {
            throw new AssertionError(e);
        }
    }

    void link(int a, int b, ToldPolicy ofA, ToldPolicy ofB) {
        Link link = new Link(a, b, nodes.get(a).links.size(), nodes.get(b).links.size());
        links.add(link);
        nodes.get(a).links.add(link);
        nodes.get(a).policies.put(link.slotOfA, ofA);
        nodes.get(b).links.add(link);
        nodes.get(b).policies.put(link.slotOfB, ofB);
    }

    boolean areLinked(int a, int b) {
        return links.stream().anyMatch(link -> link.a == a && link.b == b || link.a == b && link.b == a);
    }

    void at(long when, int node, Runnable what) {
        events.add(new Event(when, order++, node, what));
    }

    void runUntil(long end) {
        while (!events.isEmpty() && events.peek().at() <= end) {
            Event event = events.poll();
            now = Math.max(now, event.at());
            Node node = nodes.get(event.node());
            if (node.stalledUntil > now) {
                events.add(new Event(node.stalledUntil, order++, event.node(), event.what()));
            } else {
                event.what().run();
                after.accept(event.node());
            }
        }
        now = end;
    }

    /** Where a stream to an address ends that enters at a node: the path. The longest known prefix leads it. */
    List<Integer> path(int from, InetAddress address, List<Prefix> longestFirst) {
        List<Integer> path = new ArrayList<>(List.of(from));
        while (path.size() <= nodes.size() + 1) {
            Node node = nodes.get(path.get(path.size() - 1));
            ToldWay way = null;
            for (Prefix prefix : node.forwards() ? longestFirst : List.<Prefix>of()) {
                if (way == null && prefix.contains(address)) {
                    way = node.routes.way(prefix);
                }
            }
            if (way == null || way.slot() < 0) {
                return path;
            }
            path.add(node.behind(way.slot()));
        }
        return path;
    }

    /** The least cost from each node to one that has a prefix, by links that are up and policies; {@link ToldPrefix#UNREACHABLE} for none. */
    int[] shortest(Prefix prefix) {
        int[] least = new int[nodes.size()];
        boolean changes = true;
        for (int round = 0; changes; round++) {
            changes = round == 0;
            for (Node node : nodes) {
                int best = node.routes != null && node.own.contains(prefix) ? 0 : ToldPrefix.UNREACHABLE;
                for (int slot = 0; node.routes != null && slot < node.links.size(); slot++) {
                    Link link = node.links.get(slot);
                    Node other = nodes.get(node.behind(slot));
                    ToldPolicy its = other.policies.get(link.a == node.number ? link.slotOfB : link.slotOfA);
                    ToldPolicy mine = node.policies.get(slot);
                    if (round > 0 && link.isUp && its.tells(prefix) && mine.believes(prefix)) {
                        best = Math.min(best, least[other.number] + mine.cost());
                    }
                }
                changes |= round > 0 && best < least[node.number];
                least[node.number] = round == 0 ? best : Math.min(least[node.number], best);
            }
        }
        return least;
    }
}
