package org.tamanoir.node.routing.told;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.service.rule.Prefix;

/** A neighbour: its session, what it has yet to be told, and what of it was refused. */
final class Neighbour {
    /** Numbers whose times of sending are kept. With fewer an echo of a second ago might not be known on a busy link; then it does not count. */
    private static final int TIMES = 128;
    /** Ways in a message at most; the rest of it is for requests. */
    private static final int BATCH = 30;
    /** Sessions of a neighbour within one of this node. */
    private static final int RETIRED = 16;

    final int slot;
    ToldPolicy policy;
    boolean isAvailable = true;

    /** The session of this node with it. */
    long mine;
    /** Its session, if it is up; otherwise the one that it said last, or 0. */
    long theirs;
    boolean isUp;
    /** Until then it is up, unless it shows that it hears this node. */
    long until;
    long heard;
    long number;
    private long sessionFrom = 1;
    private final Set<Long> retired = new HashSet<>();
    private final long[] sentAt = new long[TIMES];
    long nextHello;
    /** When a message was answered that did not know the session. */
    long answeredAt;
    long nextFull;

    /** What has to be told after the batch. */
    final Deque<Destination> dirty = new ArrayDeque<>();
    /** What was sent, and is sent again until it is acknowledged: always the same, so that any message since the first acknowledges it. */
    List<ToldPrefix> batch = List.of();
    List<Destination> batchOf = List.of();
    long batchFrom;
    /** The first message that asked for everything anew, until one is acknowledged; 0 if there is none. */
    long anewFrom;
    final Map<Prefix, ToldPrefix> asking = new LinkedHashMap<>();
    boolean owesAnswer;
    boolean owesHello;

    int added;
    long in;
    long out;
    final Map<ToldRefusal, Long> refused = new EnumMap<>(ToldRefusal.class);

    Neighbour(int slot, ToldPolicy policy, long session, long now) {
        this.slot = slot;
        this.policy = policy;
        this.mine = session;
        this.nextHello = now;
        this.answeredAt = now;
    }

    void refuse(ToldRefusal why) {
        refused.merge(why, 1L, Long::sum);
    }

    /** The number of the next message. */
    long send(long now) {
        sentAt[(int) (++number % TIMES)] = now;
        out++;
        return number;
    }

    /** When the message with a number of this session was sent, or {@link Long#MIN_VALUE} if there was none or it is too long ago. */
    long sentAt(long echo) {
        return echo < sessionFrom || echo > number || number - echo >= TIMES ? Long.MIN_VALUE : sentAt[(int) (echo % TIMES)];
    }

    /** This node begins anew. */
    void restart(long session) {
        mine = session;
        sessionFrom = number + 1;
        theirs = 0;
        retired.clear();
        clear();
    }

    /** The neighbour has begun anew, or has never been up. Messages of its session before may still come; they count no more. */
    void accept(long session) {
        if (isUp) {
            retired.add(theirs);
        }
        theirs = session;
        clear();
    }

    /** Whether a session of the neighbour was ended by a later one. */
    boolean isRetired(long session) {
        return retired.contains(session);
    }

    /** Whether no more of its sessions can be remembered. */
    boolean hasTooManyRetired() {
        return retired.size() >= RETIRED;
    }

    private void clear() {
        heard = 0;
        isUp = false;
        dirty.clear();
        batch = List.of();
        batchOf = List.of();
        asking.clear();
        anewFrom = 0;
        owesAnswer = false;
    }

    /** It is to tell everything again. */
    void askAnew() {
        if (isUp) {
            anewFrom = number + 1;
            owesAnswer = true;
        }
    }

    ToldMessage.Kind kind() {
        return !isUp ? ToldMessage.Kind.HELLO : anewFrom == 0 ? ToldMessage.Kind.TOLD : ToldMessage.Kind.ANEW;
    }

    void dirty(Destination destination) {
        if (!destination.has(slot, Destination.DIRTY)) {
            destination.set(slot, Destination.DIRTY, true);
            dirty.add(destination);
        }
    }

    void dirty(Collection<Destination> all) {
        all.forEach(this::dirty);
    }

    /** What it is told of a prefix: no way if it may not know, or if the way leads through it. */
    ToldPrefix told(Destination destination) {
        boolean says = destination.next != Destination.NONE && destination.next != slot && policy.tells(destination.prefix);
        return new ToldPrefix(destination.prefix, says ? destination.sequence : Math.max(0, destination.leastSequence),
                says ? destination.metric : ToldPrefix.UNREACHABLE);
    }

    /** Makes the next batch of what has to be told; false if there is nothing to tell. */
    boolean nextBatch() {
        List<ToldPrefix> next = new ArrayList<>();
        List<Destination> of = new ArrayList<>();
        while (!dirty.isEmpty() && next.size() < BATCH) {
            Destination destination = dirty.poll();
            destination.set(slot, Destination.DIRTY, false);
            ToldPrefix says = told(destination);
            if (says.sequence() >= destination.passedSequence) {
                destination.set(slot, Destination.WAITS, false);
            }
            if (says.isReachable() || destination.has(slot, Destination.HOLDS)) {
                destination.set(slot, Destination.HOLDS, true);
                next.add(says);
                of.add(destination);
            }
        }
        batch = next;
        batchOf = of;
        batchFrom = number + 1;
        return !next.isEmpty();
    }

    /** What was sent and is not acknowledged is told as it is now, not sent again as it was. */
    void takeBack() {
        batchOf.forEach(this::dirty);
        batch = List.of();
        batchOf = List.of();
    }

    /** It has received a message with that number. */
    void acknowledged(long echo) {
        if (echo >= anewFrom) {
            anewFrom = 0;
        }
        if (!batch.isEmpty() && echo >= batchFrom) {
            for (int i = 0; i < batch.size(); i++) {
                batchOf.get(i).set(slot, Destination.HOLDS, batch.get(i).isReachable());
            }
            batch = List.of();
            batchOf = List.of();
        }
    }
}
