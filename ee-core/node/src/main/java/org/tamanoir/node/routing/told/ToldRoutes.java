package org.tamanoir.node.routing.told;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.tamanoir.service.rule.Prefix;

/**
 * The protocol at one node. It is given time, messages and changes and hands out messages and a table. Not thread-safe. Times are nanoseconds of one
 * clock that never goes back.
 *
 * <p>Why there is no loop: for each way from a node to a neighbour, the feasibility distance of the neighbour is below that of the node. It stays so
 * since feasibility distances only fall, what was told is never below them, and a node only takes what is below its own. A node that has forgotten them,
 * by a restart or because a prefix was long without a way, takes nothing before every neighbour has forgotten what it had told ({@link ToldTimes#hold}).
 * The same holds for overlapping prefixes, since a prefix whose way was lost is refused until then and not led by a shorter one.
 */
public final class ToldRoutes {
    /** Neighbours of a node. */
    public static final int MOST_NEIGHBOURS = 64;
    /** A request for a round that is further away is none: whoever lies about rounds shall not use them up. */
    static final long MOST_ROUNDS = 1L << 42;

    private final long node;
    private final ToldTimes times;
    private final LongSupplier sessions;
    private final BiConsumer<Integer, ToldMessage> sender;
    private final long holdUntil;
    private final Destinations table;

    private final Map<Integer, Neighbour> bySlot = new TreeMap<>();
    /** The same, by slot. */
    private Neighbour[] neighbours = {};
    private List<Prefix> configured = List.of();

    /**
     * Nothing is believed for {@link ToldTimes#hold} from now on.
     *
     * @param node     id of this node, not 0
     * @param sessions draws numbers that nobody can guess
     * @param sender   takes messages for the neighbour of a slot; it must not call back
     */
    public ToldRoutes(long node, ToldTimes times, LongSupplier sessions, BiConsumer<Integer, ToldMessage> sender, long now) {
        if (node == 0) {
            throw new IllegalArgumentException("a node's id is not 0");
        }
        this.node = node;
        this.times = times;
        this.sessions = sessions;
        this.sender = sender;
        this.holdUntil = now + times.hold();
        this.table = new Destinations(times);
    }

    private long session() {
        long drawn = sessions.getAsLong();
        return drawn == 0 ? 1 : drawn;
    }

    /**
     * Adds a neighbour, or gives one another policy; its session stays.
     *
     * @param slot 0 or more, small: whom the sender knows under that number
     * @throws IllegalStateException beyond {@link #MOST_NEIGHBOURS}
     */
    public void neighbour(int slot, ToldPolicy policy, long now) {
        Neighbour neighbour = bySlot.get(slot);
        if (neighbour == null) {
            if (bySlot.size() == MOST_NEIGHBOURS) {
                throw new IllegalStateException("more than " + MOST_NEIGHBOURS + " neighbours");
            }
            bySlot.put(slot, new Neighbour(slot, policy, session(), now));
            neighbours = bySlot.values().toArray(Neighbour[]::new);
            table.neighbours = neighbours;
            return;
        }
        neighbour.policy = policy;
        neighbour.takeBack();
        neighbour.askAnew();
        for (Destination destination : List.copyOf(table.all.values())) {
            if (destination.metricOf(slot) < ToldPrefix.UNREACHABLE && !policy.believes(destination.prefix)) {
                destination.toldBy(slot, 0, ToldPrefix.UNREACHABLE);
            }
            table.choose(destination, now);
            if (neighbour.isUp) {
                neighbour.dirty(destination);
            }
        }
        flush(now);
    }

    /** A neighbour is none any more. */
    public void remove(int slot, long now) {
        Neighbour gone = bySlot.get(slot);
        if (gone != null) {
            end(gone, now);
            bySlot.remove(slot);
            neighbours = bySlot.values().toArray(Neighbour[]::new);
            table.neighbours = neighbours;
            flush(now);
        }
    }

    /** Whether a neighbour can be used, as streams found out. One that cannot is told nothing and believed nothing. */
    public void available(int slot, boolean isAvailable, long now) {
        Neighbour neighbour = bySlot.get(slot);
        if (neighbour != null && neighbour.isAvailable != isAvailable) {
            neighbour.isAvailable = isAvailable;
            if (!isAvailable) {
                end(neighbour, now);
            }
            flush(now);
        }
    }

    /**
     * What this node delivers to itself, and what its configuration leads elsewhere.
     *
     * @param own      told to neighbours that may know; ways of others to them are not needed
     * @param others   prefixes of the configuration: what one of them covers is not believed
     * @param sequence the round to begin with for a prefix that is new, for instance milliseconds since 1970: higher than in an earlier life of the node
     */
    public void configure(Collection<Prefix> own, Collection<Prefix> others, long sequence, long now) {
        Set<Prefix> wanted = new HashSet<>(own);
        if (!configured.equals(List.copyOf(others))) {
            configured = List.copyOf(others);
            bySlot.values().forEach(Neighbour::askAnew);
        }
        for (Prefix prefix : wanted) {
            Destination destination = table.all.computeIfAbsent(prefix, each -> new Destination(each, null, now));
            if (!destination.own) {
                destination.own = true;
                destination.ownSequence = Math.max(sequence, destination.leastSequence);
            }
        }
        for (Destination destination : List.copyOf(table.all.values())) {
            destination.own = wanted.contains(destination.prefix);
            if (ToldPolicy.covers(configured, destination.prefix)) {
                bySlot.keySet().forEach(slot -> destination.toldBy(slot, 0, ToldPrefix.UNREACHABLE));
            }
            table.choose(destination, now);
        }
        flush(now);
    }

    /** A message came from the neighbour of a slot. */
    public void received(int slot, ToldMessage message, long now) {
        Neighbour from = bySlot.get(slot);
        if (from == null || !from.isAvailable) {
            return;
        }
        expire(now);
        from.in++;
        if (message.node() == node) {
            from.refuse(ToldRefusal.OWN);
        } else if (message.yours() != from.mine) {
            stranger(from, message, now);
        } else {
            friend(from, message, now);
        }
        flush(now);
    }

    /**
     * A message that does not show that its sender hears this node now. The answer lets it say something that does. Answers are few, or two nodes that do
     * not agree would answer each other for ever.
     */
    private void stranger(Neighbour from, ToldMessage message, long now) {
        if (from.isUp && message.session() == from.theirs) {
            from.refuse(ToldRefusal.STALE);
            return;
        }
        boolean answers = message.yours() != from.mine && now - from.answeredAt >= times.hello() / 4;
        if (answers) {
            from.answeredAt = now;
        }
        if (!from.isUp) {
            from.heard = message.session() == from.theirs ? Math.max(from.heard, message.number()) : message.number();
            from.theirs = message.session();
            from.owesHello |= answers;
        } else if (answers) {
            // Nothing changes before it has shown that it hears this node: anybody can forge an address.
            say(from, ToldMessage.Kind.HELLO, message.session(), message.number(), now);
        }
    }

    /** It knows the session of this node. */
    private void friend(Neighbour from, ToldMessage message, long now) {
        long sent = from.sentAt(message.echo());
        if (sent == Long.MIN_VALUE || now - sent > times.silence()) {
            stranger(from, message, now);
            return;
        }
        if (from.isRetired(message.session())) {
            from.refuse(ToldRefusal.STALE);
            return;
        }
        if (message.session() != from.theirs) {
            if (from.hasTooManyRetired()) {
                end(from, now);
                return;
            }
            table.release(from, now);
            from.accept(message.session());
            table.choose(from, now);
        }
        if (message.number() <= from.heard) {
            from.refuse(ToldRefusal.STALE);
            return;
        }
        from.heard = message.number();
        from.until = Math.max(from.isUp ? from.until : Long.MIN_VALUE, sent + times.silence());
        if (!from.isUp) {
            from.isUp = true;
            from.owesAnswer = true;
            from.nextFull = now + times.full();
            from.dirty(table.all.values());
            table.changes++;
        }
        if (message.kind() == ToldMessage.Kind.ANEW) {
            from.dirty(table.all.values());
        }
        if (message.kind() != ToldMessage.Kind.HELLO) {
            from.acknowledged(message.echo());
            message.told().forEach(each -> told(from, each, now));
            message.asked().forEach(each -> asked(from, each, now));
            from.owesAnswer |= !message.told().isEmpty() || message.kind() == ToldMessage.Kind.ANEW;
        }
    }

    private void told(Neighbour from, ToldPrefix says, long now) {
        ToldRefusal why = !from.policy.believes(says.prefix()) ? ToldRefusal.NOT_BELIEVED
                : ToldPolicy.covers(configured, says.prefix()) ? ToldRefusal.CONFIGURED : null;
        Destination destination = table.all.get(says.prefix());
        if (why == null && destination == null && says.isReachable() && from.added >= from.policy.most()) {
            why = ToldRefusal.TOO_MANY;
        }
        if (why != null) {
            from.refuse(why);
            return;
        }
        if (destination == null) {
            if (!says.isReachable()) {
                return;
            }
            destination = table.add(says.prefix(), from, now);
        }
        destination.toldBy(from.slot, says.sequence(), says.metric());
        table.choose(destination, now);
    }

    private void asked(Neighbour from, ToldPrefix wants, long now) {
        Destination destination = table.all.get(wants.prefix());
        if (!from.policy.tells(wants.prefix())) {
            from.refuse(ToldRefusal.NOT_TOLD);
        } else if (destination == null || destination.next == Destination.NONE || destination.next == from.slot) {
            return;
        } else if (destination.sequence >= wants.sequence()) {
            from.dirty(destination);
        } else if (!destination.own) {
            destination.set(from.slot, Destination.WAITS, true);
            pass(destination, wants.sequence(), now);
        } else if (wants.sequence() - destination.ownSequence > MOST_ROUNDS) {
            from.refuse(ToldRefusal.NOT_TOLD);
        } else if (destination.ownRaisedAt == 0 || now - destination.ownRaisedAt >= times.again() / 2) {
            destination.ownRaisedAt = now;
            destination.ownSequence = wants.sequence();
            from.dirty(destination);
            table.choose(destination, now);
        }
    }

    /** Hands a request on towards the destination: along ways, so it comes to an end. */
    private void pass(Destination destination, long sequence, long now) {
        if (sequence > destination.passedSequence || destination.passedAt == Long.MIN_VALUE || now - destination.passedAt >= times.again() / 2) {
            destination.passedAt = now;
            destination.passedSequence = sequence;
            Destinations.ask(bySlot.get(destination.next), destination.prefix, sequence);
        }
    }

    /** The session with a neighbour is over: what it told does not count any more. */
    private void end(Neighbour neighbour, long now) {
        table.release(neighbour, now);
        neighbour.restart(session());
        neighbour.nextHello = now;
        table.choose(neighbour, now);
    }

    private void expire(long now) {
        for (Neighbour neighbour : neighbours) {
            if (neighbour.isUp && now - neighbour.until > 0) {
                end(neighbour, now);
            }
        }
        if (table.held && now - holdUntil >= 0) {
            table.held = false;
            List.copyOf(table.all.values()).forEach(each -> table.choose(each, now));
        }
    }

    /** Time has passed; to be called at least four times in {@link ToldTimes#hello}. */
    public void tick(long now) {
        expire(now);
        table.tick(now);
        for (Neighbour neighbour : neighbours) {
            if (neighbour.isUp && now - neighbour.nextFull >= 0) {
                neighbour.nextFull = now + times.full();
                neighbour.dirty(table.all.values());
            }
        }
        flush(now);
        for (Neighbour neighbour : neighbours) {
            if (neighbour.isAvailable && (now - neighbour.nextHello >= 0 || neighbour.isUp && !neighbour.asking.isEmpty())) {
                say(neighbour, now);
            }
        }
    }

    private void flush(long now) {
        for (Neighbour neighbour : neighbours) {
            if (neighbour.isUp) {
                boolean begins = neighbour.batch.isEmpty() && !neighbour.dirty.isEmpty() && neighbour.nextBatch();
                if (begins || neighbour.owesAnswer) {
                    say(neighbour, now);
                }
            } else if (neighbour.owesHello) {
                say(neighbour, now);
            }
        }
    }

    private void say(Neighbour neighbour, long now) {
        neighbour.owesHello = false;
        neighbour.owesAnswer = false;
        neighbour.nextHello = now + times.hello();
        say(neighbour, neighbour.kind(), neighbour.theirs, neighbour.heard, now);
    }

    private void say(Neighbour neighbour, ToldMessage.Kind kind, long yours, long echo, long now) {
        List<ToldPrefix> asked = new ArrayList<>();
        if (kind != ToldMessage.Kind.HELLO) {
            Iterator<ToldPrefix> each = neighbour.asking.values().iterator();
            while (each.hasNext() && asked.size() + neighbour.batch.size() < ToldMessage.MOST_PREFIXES) {
                asked.add(each.next());
                each.remove();
            }
        }
        sender.accept(neighbour.slot, new ToldMessage(kind, node, neighbour.mine, yours, neighbour.send(now), echo,
                kind == ToldMessage.Kind.HELLO ? List.of() : neighbour.batch, asked));
    }

    /** A change of a way or of a neighbour since the start raises it: whoever copies the table looks here first. */
    public long changes() {
        return table.changes;
    }

    /** Of each prefix that is known, in no order. */
    public List<ToldWay> ways() {
        return table.all.values().stream().map(ToldRoutes::way).toList();
    }

    /** The way to a prefix; null if it is not known. */
    public ToldWay way(Prefix prefix) {
        Destination destination = table.all.get(prefix);
        return destination == null ? null : way(destination);
    }

    private static ToldWay way(Destination destination) {
        return new ToldWay(destination.prefix, destination.next, destination.metric, destination.sequence);
    }

    /** What is known of the neighbour of a slot; null if there is none. */
    public ToldStatus status(int slot) {
        Neighbour neighbour = bySlot.get(slot);
        if (neighbour == null) {
            return null;
        }
        int told = (int) table.all.values().stream().filter(each -> each.has(slot, Destination.HOLDS)).count();
        int believed = (int) table.all.values().stream().filter(each -> each.metricOf(slot) < ToldPrefix.UNREACHABLE).count();
        return new ToldStatus(neighbour.isUp, told, believed, neighbour.in, neighbour.out, Map.copyOf(neighbour.refused));
    }

    /** A message from the neighbour of a slot could not be read. */
    public void malformed(int slot) {
        Neighbour neighbour = bySlot.get(slot);
        if (neighbour != null) {
            neighbour.refuse(ToldRefusal.MALFORMED);
        }
    }
}
