package org.tamanoir.services.interest.tree;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.services.interest.filter.EventData;
import org.tamanoir.services.interest.filter.Filter;
import org.tamanoir.services.interest.filter.Predicate;
import org.tamanoir.services.interest.filter.Where;
import org.tamanoir.services.interest.tree.Neighbour.Kind;
import org.tamanoir.interest.wire.EventView;

/**
 * One node of the tree of a space. To each node next to it goes what all its other neighbours want; an event goes to each neighbour that wants it, once, and never back
 * where it came from. Not safe for threads. After what is said to it, {@link #turn} says on what has changed.
 */
public final class SpaceCore {
    /** What is longer was no predicate, but another thread on the same processor. */
    private static final long MOST_EVALUATION = 1_000_000;

    private final Limits limits;
    private final boolean root;
    private final Expressions expressions;
    private final LongSupplier clock;
    private final LongSupplier work;
    private final Set<Neighbour> neighbours = new LinkedHashSet<>();
    private final List<Neighbour> links = new ArrayList<>();
    private final MatchIndex index = new MatchIndex();
    private final WantedGroups wanted = new WantedGroups();
    private final Decimator.Waiting waiting = new Decimator.Waiting();
    private final Map<Predicate, Compiled> compiled = new HashMap<>();
    private final Set<Subscription> fresh = new LinkedHashSet<>();
    private final EventData data = new EventData();
    private final Consumer<Subscription> chooses = this::choose;
    private final List<Subscription> decimated = new ArrayList<>();
    private Neighbour above;
    /** Whose changes are to be said. */
    private Neighbour changer;
    private int ofPrograms;
    /** Octets of filters and predicates, about. */
    private long held;

    // Of the event in hand.
    private long number;
    private long now;
    private Neighbour from;
    private EventView event;

    private static final class Compiled {
        private final Predicate predicate;
        private final Where where;
        private int users;

        private Compiled(Predicate predicate, Where where) {
            this.predicate = predicate;
            this.where = where;
        }
    }

    /** Compiles a predicate. */
    @FunctionalInterface
    public interface Expressions {
        /** @throws AnepException if it is none, or too much of one */
        Where compile(Predicate predicate);
    }

    /**
     * A node alone.
     *
     * @param root  whether there is no node above
     * @param clock nanoseconds, for what predicates cost
     * @param work  nanoseconds that this thread has worked, for what changes cost
     */
    public SpaceCore(Limits limits, boolean root, Expressions expressions, LongSupplier clock, LongSupplier work) {
        this.limits = limits;
        this.root = root;
        this.expressions = expressions;
        this.clock = clock;
        this.work = work;
    }

    /** Somebody is there from now on. @throws IllegalStateException for a second one above, or one above the root */
    public Neighbour join(Kind kind, Sink sink) {
        Neighbour neighbour = new Neighbour(kind, sink, kind == Kind.PROGRAM ? null : new CoveringSet(limits.told(), this::arrived));
        if (kind == Kind.ABOVE) {
            if (root || above != null) {
                throw new IllegalStateException("a tree has one way to its root");
            }
            above = neighbour;
        }
        if (neighbour.isNode()) {
            for (Neighbour other : neighbours) {
                other.wants.values().forEach(neighbour.told::add);
            }
            links.add(neighbour);
        }
        neighbours.add(neighbour);
        return neighbour;
    }

    /** It is gone, with all that it wanted. */
    public void leave(Neighbour neighbour) {
        if (!neighbours.remove(neighbour)) {
            return;
        }
        links.remove(neighbour);
        if (neighbour == above) {
            above = null;
        }
        List<Subscription> wanted = List.copyOf(neighbour.wants.values());
        neighbour.wants.clear();
        wanted.forEach(each -> remove(neighbour, each));
        if (neighbour.told != null) {
            neighbour.told.close();
        }
    }

    /** How many there are, programs and nodes. */
    public int neighbours() {
        return neighbours.size();
    }

    /** All that are there. */
    public Collection<Neighbour> all() {
        return neighbours;
    }

    /** The groups of topics of which neighbours want events. */
    public WantedGroups wanted() {
        return wanted;
    }

    /** Filters that are wanted by neighbours. */
    public int filters() {
        return neighbours.stream().mapToInt(each -> each.wants.size()).sum();
    }

    /**
     * It wants this from now on.
     *
     * @throws AnepException EE-309 for more than it may want, EE-109 for a number that is taken, and what compiling the predicate throws
     */
    public void subscribe(Neighbour neighbour, int as, Filter filter) {
        long begin = work.getAsLong();
        if (neighbour.wants.containsKey(as)) {
            throw new AnepException(ErrorCode.BAD_CONTENT, "two filters have the number " + as);
        }
        boolean program = !neighbour.isNode();
        if (neighbour.wants.size() >= (program ? limits.ofOne() : Limits.OF_NODE) || program && ofPrograms >= limits.ofAll()) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "it wants more than " + (neighbour.wants.size() >= limits.ofOne() || !program ? neighbour.wants.size() + " filters"
                    : "the " + limits.ofAll() + " filters that all programs of a node may have"));
        }
        Compiled one = filter.where() == null ? null : compiled(neighbour, filter.where());
        Filter kept = filter;
        if (one == null && filter.where() != null || !program && held + filter.weight() > limits.held()) {
            kept = filter.coarser();
            one = null;
        } else if (one != null) {
            // The one text of it that there is.
            kept = new Filter(filter.topic(), one.predicate, filter.region(), filter.every());
        }
        if (program && held + kept.weight() > limits.held()) {
            throw tooLarge();
        }
        if (one != null) {
            neighbour.expressions++;
            if (one.users++ == 0) {
                compiled.put(one.predicate, one);
                held += one.predicate.weight();
            }
        }
        held += kept.weight();
        Decimator decimator = kept.every() == 0 ? null : new Decimator(kept.every(), waiting);
        Subscription subscription = new Subscription(neighbour, as, kept, one == null ? null : one.where, decimator);
        if (decimator != null) {
            decimator.of(subscription);
        }
        neighbour.wants.put(as, subscription);
        ofPrograms += program ? 1 : 0;
        index.add(subscription);
        wanted.add(subscription);
        for (Neighbour link : links) {
            if (link != neighbour) {
                link.told.add(subscription);
            }
        }
        fresh.add(subscription);
        changed(neighbour, begin);
    }

    /** What a program has its node do by its changes is its own cost; how many links there are is not. */
    private void changed(Neighbour neighbour, long begin) {
        long end = work.getAsLong();
        changer = neighbour;
        if (!neighbour.isNode() && !neighbour.spend((end - begin) / Math.max(1, links.size()), clock.getAsLong(), limits.share())) {
            neighbour.sink.refuse(tooCostly());
        }
    }

    private AnepException tooLarge() {
        return new AnepException(ErrorCode.SERVICE_LIMIT, "all filters of a space may take " + limits.held() + " octets at a node, and they do");
    }

    /** @return null for one of a node that this node cannot compile, or has no room for: more comes then than is wanted */
    private Compiled compiled(Neighbour neighbour, Predicate predicate) {
        if (!neighbour.isNode() && neighbour.expressions >= limits.expressions()) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "it has more than " + limits.expressions() + " predicates");
        }
        Compiled one = compiled.get(predicate);
        if (one != null) {
            return one;
        }
        try {
            if (held + predicate.weight() > limits.held()) {
                throw tooLarge();
            }
            return new Compiled(predicate, expressions.compile(predicate));
        } catch (AnepException e) {
            if (neighbour.isNode()) {
                return null;
            }
            throw e;
        }
    }

    private AnepException tooCostly() {
        return new AnepException(ErrorCode.SERVICE_LIMIT, "its predicates, and what it changes, take more than " + limits.share() + " % of a core");
    }

    /** It does not want this any more. Does nothing for a number that there is not. */
    public void unsubscribe(Neighbour neighbour, int as) {
        long begin = work.getAsLong();
        Subscription subscription = neighbour.wants.remove(as);
        if (subscription != null) {
            remove(neighbour, subscription);
            changed(neighbour, begin);
        }
    }

    private void remove(Neighbour neighbour, Subscription subscription) {
        subscription.gone = true;
        held -= subscription.filter.weight();
        ofPrograms -= neighbour.isNode() ? 0 : 1;
        fresh.remove(subscription);
        index.remove(subscription);
        wanted.remove(subscription);
        for (Neighbour link : links) {
            if (link != neighbour) {
                link.told.remove(subscription);
            }
        }
        if (subscription.decimator != null) {
            subscription.decimator.close();
        }
        if (subscription.where != null) {
            neighbour.expressions--;
            Predicate predicate = subscription.filter.where();
            if (--compiled.get(predicate).users == 0) {
                compiled.remove(predicate);
                held -= predicate.weight();
            }
        }
    }

    /** A node knows what it was told under this number, and so do all behind it. */
    public void ready(Neighbour neighbour, int as) {
        if (neighbour.told != null) {
            neighbour.told.acknowledged(as);
        }
    }

    private void arrived(Subscription subscription) {
        if (--subscription.awaited == 0 && !subscription.gone) {
            fresh.add(subscription);
        }
    }

    /** Says what has changed, to all. */
    public void turn() {
        long begin = changer == null ? 0 : work.getAsLong();
        for (Neighbour link : links) {
            link.told.say(link.sink);
        }
        if (changer != null) {
            changed(changer, begin);
            changer = null;
        }
        if (!fresh.isEmpty() && (root || above != null)) {
            for (Subscription each : fresh) {
                if (each.awaited == 0) {
                    each.ready = true;
                    each.owner.sink.ready(each.number);
                }
            }
            fresh.clear();
        }
    }

    /**
     * An event has come.
     *
     * @param time   nanoseconds, the same clock as for {@link #tick}
     * @param source to which it does not go back; null for one that is no neighbour
     * @throws AnepException EE-109 for a topic that there is not
     */
    public void event(long time, Neighbour source, EventView next) {
        MatchIndex.Topic topic = index.topic(next);
        number++;
        now = time;
        from = source;
        event = next;
        data.of(next);
        index.match(topic, next, chooses);
        if (!decimated.isEmpty()) {
            decimate(topic.text);
        }
    }

    private void choose(Subscription subscription) {
        Neighbour owner = subscription.owner;
        boolean given = owner.given == number;
        if (owner == from || given && subscription.decimator == null) {
            return;
        }
        if (subscription.where != null && !subscription.where.isKnown(number) && owner.isNode() && owner.isSpent(clock.getAsLong(), limits.share())) {
            // It costs the link more than is wanted there, and its programs nothing that they want. Nothing is left out either, for that has to come after the choice.
            if (!given) {
                give(owner);
            }
            return;
        }
        if (subscription.where != null && !isTrue(subscription)) {
            return;
        }
        if (subscription.decimator != null) {
            decimated.add(subscription);
        } else if (owner.given != number) {
            give(owner);
        }
    }

    private void give(Neighbour owner) {
        owner.given = number;
        ByteBuf in = event.buffer();
        owner.sink.event(in, event.frame(), event.frameLength());
    }

    private boolean isTrue(Subscription subscription) {
        if (subscription.where.isKnown(number)) {
            return subscription.where.test(number, data);
        }
        Neighbour owner = subscription.owner;
        long begin = clock.getAsLong();
        boolean answer = subscription.where.test(number, data);
        long end = clock.getAsLong();
        if (!owner.spend(Math.min(end - begin, MOST_EVALUATION), end, limits.share()) && !owner.isNode()) {
            owner.given = number;
            owner.sink.refuse(tooCostly());
            return false;
        }
        return answer;
    }

    private void decimate(String topic) {
        for (int i = 0; i < decimated.size(); i++) {
            Subscription each = decimated.get(i);
            if (each.owner.given != number && each.decimator.isDue(topic, now)) {
                give(each.owner);
            }
        }
        for (int i = 0; i < decimated.size(); i++) {
            Subscription each = decimated.get(i);
            if (each.owner.given == number) {
                each.decimator.given(topic, now);
            } else {
                each.decimator.hold(topic, event);
            }
        }
        decimated.clear();
    }

    /** When something is due next, or {@code Long.MAX_VALUE}. */
    public long due() {
        return waiting.due();
    }

    /** Has go what has waited for its time. @return when something is due next, or {@code Long.MAX_VALUE} */
    public long tick(long time) {
        return waiting.tick(time);
    }
}
