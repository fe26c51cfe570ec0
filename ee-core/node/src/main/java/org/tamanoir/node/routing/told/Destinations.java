package org.tamanoir.node.routing.told;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.service.rule.Prefix;

/** The prefixes that a node knows, and which way it takes to each. */
final class Destinations {
    final Map<Prefix, Destination> all = new HashMap<>();
    /** By slot. */
    Neighbour[] neighbours = {};
    /** Nothing is believed yet. */
    boolean held = true;
    /** Raised by every change of a way, and of what is known of a neighbour. */
    long changes;
    private final ToldTimes times;
    /** Without a way. */
    private final Set<Destination> lost = new LinkedHashSet<>();
    /** With a better way in a newer round. */
    private final Set<Destination> wanting = new LinkedHashSet<>();
    private final List<Destination> revived = new ArrayList<>();

    Destinations(ToldTimes times) {
        this.times = times;
    }

    /** A prefix that a neighbour is the first to tell; there is no way to it yet. */
    Destination add(Prefix prefix, Neighbour from, long now) {
        Destination destination = new Destination(prefix, from, now);
        all.put(prefix, destination);
        lost.add(destination);
        from.added++;
        return destination;
    }

    static void ask(Neighbour neighbour, Prefix prefix, long sequence) {
        neighbour.asking.merge(prefix, new ToldPrefix(prefix, sequence, ToldPrefix.UNREACHABLE), (old, now) -> now.sequence() > old.sequence() ? now : old);
    }

    /** Takes the shortest way that can be no loop; of equal ones the one that is taken already. */
    void choose(Destination destination, long now) {
        int oldNext = destination.next;
        long oldSequence = destination.sequence;
        int oldMetric = destination.metric;
        if (destination.own) {
            destination.take(Destination.HERE, destination.ownSequence, 0);
        } else {
            chooseNeighbour(destination);
        }
        boolean has = destination.next != Destination.NONE;
        if (has) {
            lost.remove(destination);
        } else if (lost.add(destination)) {
            destination.lostAt = now;
        }
        want(destination, now);
        if (destination.next == oldNext && destination.metric == oldMetric && destination.sequence == oldSequence) {
            return;
        }
        changes++;
        for (Neighbour neighbour : neighbours) {
            boolean isNext = neighbour.slot == destination.next;
            boolean wasNext = neighbour.slot == oldNext;
            // A new round alone is told to those that wait for it: each round told to everybody would be a flood through the network.
            boolean news = isNext || wasNext ? isNext != wasNext : destination.metric != oldMetric
                    || destination.has(neighbour.slot, Destination.WAITS) && destination.sequence >= destination.passedSequence;
            if (news && neighbour.isUp) {
                neighbour.dirty(destination);
            }
        }
    }

    private void chooseNeighbour(Destination destination) {
        int best = Destination.NONE;
        int bestMetric = ToldPrefix.UNREACHABLE;
        for (Neighbour neighbour : neighbours) {
            int metric = through(neighbour, destination);
            boolean better = metric < bestMetric || metric == bestMetric && neighbour.slot == destination.next;
            if (metric < ToldPrefix.UNREACHABLE && better && !held && destination.isFeasible(neighbour.slot)) {
                best = neighbour.slot;
                bestMetric = metric;
            }
        }
        destination.take(best, best == Destination.NONE ? 0 : destination.sequenceOf(best), bestMetric);
    }

    private static int through(Neighbour neighbour, Destination destination) {
        int metric = destination.metricOf(neighbour.slot);
        return metric == ToldPrefix.UNREACHABLE ? metric : Math.min(ToldPrefix.UNREACHABLE, metric + neighbour.policy.cost());
    }

    /** Whether a neighbour tells a better way, which may not be taken in this round. */
    private static boolean isBetter(Neighbour neighbour, Destination destination) {
        return through(neighbour, destination) < destination.metric && !destination.isFeasible(neighbour.slot);
    }

    private boolean hasBetter(Destination destination) {
        for (Neighbour neighbour : neighbours) {
            if (isBetter(neighbour, destination)) {
                return true;
            }
        }
        return false;
    }

    /** Without a way a newer round is wanted at once, for a better way after a while: it may become one by itself. */
    private void want(Destination destination, long now) {
        if (held || destination.own || !hasBetter(destination)) {
            wanting.remove(destination);
            destination.askedAt = Long.MIN_VALUE;
            return;
        }
        if (wanting.add(destination)) {
            destination.wantedAt = now;
        }
        long since = destination.askedAt != Long.MIN_VALUE ? destination.askedAt : destination.next == Destination.NONE ? Long.MIN_VALUE : destination.wantedAt;
        if (since == Long.MIN_VALUE || now - since >= times.again()) {
            destination.askedAt = now;
            for (Neighbour neighbour : neighbours) {
                if (isBetter(neighbour, destination)) {
                    // It may be of this round and not have said so.
                    boolean thisRound = destination.metricOf(neighbour.slot) < destination.leastMetric;
                    if (thisRound || destination.leastSequence < Long.MAX_VALUE) {
                        ask(neighbour, destination.prefix, destination.leastSequence + (thisRound ? 0 : 1));
                    }
                }
            }
        }
    }

    /** The neighbour may use what it was told for a while. */
    void release(Neighbour neighbour, long now) {
        for (Destination destination : all.values()) {
            if (destination.has(neighbour.slot, Destination.HOLDS)) {
                destination.heldUntil = now + times.hold();
            }
        }
    }

    /** Chooses anew where a neighbour had told a way that does not count any more. */
    void choose(Neighbour neighbour, long now) {
        changes++;
        for (Destination destination : all.values()) {
            if (destination.forget(neighbour.slot)) {
                choose(destination, now);
            }
        }
    }

    /** Forgets what nobody can use any more, and asks again for what is wanted. */
    void tick(long now) {
        for (Iterator<Destination> each = lost.iterator(); each.hasNext();) {
            Destination destination = each.next();
            if (now - destination.lostAt >= times.forget() && now - destination.heldUntil >= 0 && !destination.isSaid()) {
                each.remove();
                forget(destination);
            }
        }
        revive(now);
        List.copyOf(wanting).forEach(each -> want(each, now));
    }

    /** Nobody can have a way through this node any more, so the feasibility distance is not needed. */
    private void forget(Destination destination) {
        changes++;
        wanting.remove(destination);
        boolean known = Arrays.stream(neighbours).anyMatch(each -> destination.metricOf(each.slot) < ToldPrefix.UNREACHABLE);
        if (known) {
            destination.leastSequence = -1;
            destination.leastMetric = ToldPrefix.UNREACHABLE;
            revived.add(destination);
            return;
        }
        all.remove(destination.prefix);
        if (destination.because != null) {
            destination.because.added--;
        }
    }

    private void revive(long now) {
        if (!revived.isEmpty()) {
            List<Destination> again = List.copyOf(revived);
            revived.clear();
            again.forEach(each -> choose(each, now));
        }
    }
}
