package org.tamanoir.services.election;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.tamanoir.services.election.Message.Accepted;
import org.tamanoir.services.election.Message.Lease;
import org.tamanoir.services.election.Message.Prepare;
import org.tamanoir.services.election.Message.Promise;
import org.tamanoir.services.election.Message.Propose;
import org.tamanoir.services.election.Message.Release;

/**
 * One node's part in agreeing who holds a group: PaxosLease (M. Trencseni, A. Gazso, H. Reinhardt, "PaxosLease: Diskless Paxos for Leases", 2012), with a
 * number that fences. No clock, no threads and no I/O: events bring the time, and what is to be done is left in {@link #actions}. One thread at a time.
 *
 * <p>Whoever wants a group asks a majority for its promise, and proposes himself if a majority has nobody else whose lease still runs. He holds it when a majority
 * has accepted, for a lease that he counts from before he proposed and they from when they accepted: so he gives up before any of them does. Clocks need not agree;
 * they must not differ in their rates by more than one part in {@link #DRIFT}.
 *
 * <p>The number is the ballot under which somebody became the holder. A later holder needs a majority that has promised him a larger one; whoever renews keeps his
 * number if nobody held in between. A node that restarts has forgotten what it accepted: it keeps silent for the longest lease, and promises nothing below what it
 * may have promised before, for which it keeps a bound on the disk that is raised {@value #RESERVED} rounds at a time.
 */
final class Agreement {
    static final int DRIFT = 100;
    static final int RESERVED = 1000;
    /** Groups that are remembered. Those that nobody holds are forgotten for others; where all are held there is room for no other. */
    static final int MOST_GROUPS = 4096;
    /** Bits of a ballot that say whose it is. */
    private static final int INDEX_BITS = 10;
    private static final int MOST_LOSSES = 8;
    private static final long MILLI = 1_000_000L;

    /** Something to be done. */
    sealed interface Action {
    }

    /** To the node with this index. */
    record Send(int to, Message message) implements Action {
    }

    /** The bound is to be on the disk before what follows is done; where it cannot be kept nothing follows. {@link #kept} is told when it is there. */
    record Keep(long round, List<Send> then) implements Action {
    }

    /**
     * What became of a wish.
     *
     * @param lease  null if it is not his
     * @param until  when it ends, for him
     * @param holder who has it if it is not his; null if no majority answers
     */
    record Outcome(String group, String wanted, Lease lease, long until, String holder) implements Action {
    }

    private static final class Group {
        private long promised;
        private long latest;
        private Lease accepted;
        private long acceptedUntil;
        private long busyUntil;
        private Wish wish;

        Lease running(long now) {
            return accepted != null && now - acceptedUntil < 0 ? accepted : null;
        }
    }

    /** Somebody of this node wants a group. */
    private static final class Wish {
        private final String group;
        private final String holder;
        private final long millis;
        private final long giveUp;
        private long ballot;
        private boolean proposes;
        private long started;
        private long due;
        private long number;
        private long latest;
        private String other;
        private int losses;
        private final BitSet open = new BitSet();
        private final BitSet against = new BitSet();

        Wish(String group, String holder, long millis, long giveUp) {
            this.group = group;
            this.holder = holder;
            this.millis = millis;
            this.giveUp = giveUp;
        }
    }

    private final int self;
    private final int members;
    private final long patience;
    private final RandomGenerator random;
    private final Map<String, Group> groups = new LinkedHashMap<>();
    private final List<Action> actions = new ArrayList<>();
    private final long answersFrom;
    /** What groups that are not remembered may have been promised. */
    private long floor;
    private long round;
    /** The bound that is on the disk, and the one that was last asked to be put there. */
    private long kept;
    private long asked;

    /**
     * @param self        index of this node among the members, who have the same order everywhere
     * @param members     3 or more, to survive one; at most 1,023
     * @param keptRound   what is on the disk; 0 for a node that never was
     * @param answersFrom when it may answer: at once for one that never was, otherwise after the longest lease
     * @param patience    nanoseconds that an answer may take
     */
    Agreement(int self, int members, long keptRound, long answersFrom, long patience, RandomGenerator random) {
        this.self = self;
        this.members = members;
        this.kept = keptRound;
        this.asked = keptRound;
        this.round = keptRound;
        this.floor = ballot(keptRound, (1 << INDEX_BITS) - 1);
        this.answersFrom = answersFrom;
        this.patience = patience;
        this.random = random;
    }

    private static long ballot(long round, int index) {
        return round << INDEX_BITS | index;
    }

    private int majority() {
        return members / 2 + 1;
    }

    /** What is to be done since the last call, in order. */
    List<Action> actions() {
        List<Action> taken = List.copyOf(actions);
        actions.clear();
        return taken;
    }

    /**
     * Somebody wants a group, or wants to keep it. An {@link Outcome} follows; one wish of a group at a time, a second one for another holder is told at once that the
     * first is there.
     *
     * @param millis  of the lease
     * @param giveUp  when he is told that no majority answers
     * @return false if there are too many groups: nothing follows
     */
    boolean want(long now, String name, String holder, long millis, long giveUp) {
        Group group = group(now, name);
        if (group == null) {
            return false;
        }
        if (group.wish != null) {
            if (!group.wish.holder.equals(holder)) {
                actions.add(new Outcome(name, holder, null, now, group.wish.holder));
            }
            return true;
        }
        group.wish = new Wish(name, holder, millis, giveUp);
        if (now - group.busyUntil < 0) {
            group.wish.due = later(group);
        } else {
            prepare(now, group);
        }
        return true;
    }

    /** The holder gives it up. */
    void release(String name, String holder) {
        Group group = groups.get(name);
        if (group != null && group.wish != null && group.wish.holder.equals(holder)) {
            group.wish = null;
        }
        actions.addAll(toAll(new Release(name, ballot(++round, self), holder)));
    }

    /** Who holds it as far as this node knows; null for nobody. */
    Lease holder(long now, String name) {
        Group group = groups.get(name);
        return group == null ? null : group.running(now);
    }

    /** Time has passed. @return when it is to be called next */
    long tick(long now) {
        long next = now + patience;
        for (Group group : List.copyOf(groups.values())) {
            if (group.wish != null && now - group.wish.due >= 0) {
                if (now - group.wish.giveUp >= 0) {
                    over(group, null, now);
                } else {
                    prepare(now, group);
                }
            }
            if (group.wish != null && group.wish.due - next < 0) {
                next = group.wish.due;
            }
        }
        return next;
    }

    /** When somebody of another node, who has just been promised something, should be through: two who outbid each other get nowhere. */
    private long later(Group group) {
        return group.busyUntil + random.nextLong(patience);
    }

    private void prepare(long now, Group group) {
        Wish wish = group.wish;
        round = Math.max(round, group.promised >>> INDEX_BITS) + 1;
        wish.ballot = ballot(round, self);
        wish.proposes = false;
        wish.started = now;
        wish.due = now + patience + random.nextLong(patience);
        wish.number = 0;
        wish.latest = 0;
        wish.other = null;
        wish.open.clear();
        wish.against.clear();
        // Nobody may use a ballot a second time, after a restart either.
        afterKeeping(round, toAll(new Prepare(wish.group, wish.ballot, wish.holder)));
    }

    private List<Send> toAll(Message message) {
        List<Send> all = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            all.add(new Send(i, message));
        }
        return all;
    }

    /** Something has come, from another node or from this one itself. */
    void receive(long now, int from, Message message) {
        if (message instanceof Prepare prepare) {
            promise(now, from, prepare);
        } else if (message instanceof Propose propose) {
            accept(now, from, propose);
        } else if (message instanceof Promise promise) {
            promised(now, from, promise);
        } else if (message instanceof Accepted accepted) {
            accepted(now, from, accepted);
        } else if (message instanceof Release release) {
            Group group = groups.get(release.group());
            if (group != null && group.accepted != null && group.accepted.holder().equals(release.holder()) && release.ballot() > group.promised) {
                group.accepted = null;
            }
        }
    }

    // For those who want something.

    private void promise(long now, int from, Prepare prepare) {
        if (now - answersFrom < 0) {
            return;
        }
        Group group = group(now, prepare.group());
        if (group == null) {
            return;
        }
        Lease running = group.running(now);
        boolean held = running != null && !running.holder().equals(prepare.holder());
        if (held || prepare.ballot() < group.promised) {
            // To somebody who cannot have it nothing is promised: that would only be in the way of the holder, who renews.
            actions.add(new Send(from, new Promise(prepare.group(), prepare.ballot(), false, group.promised, held ? running : null, 0)));
            return;
        }
        group.promised = prepare.ballot();
        if (from != self && running == null) {
            // A holder that renews needs no pause: nobody promises those who wait anything, and they have to hear who holds it.
            group.busyUntil = now + 2 * patience;
            if (group.wish != null) {
                group.wish.due = later(group);
            }
        }
        afterKeeping(prepare.ballot() >>> INDEX_BITS, List.of(new Send(from, new Promise(prepare.group(), prepare.ballot(), true, prepare.ballot(), running, group.latest))));
    }

    private void afterKeeping(long needed, List<Send> then) {
        round = Math.max(round, needed);
        if (needed <= kept) {
            actions.addAll(then);
        } else {
            // A bound that is on its way is not there yet: whatever is above the one that is there waits too.
            asked = needed <= asked ? asked : needed + RESERVED;
            actions.add(new Keep(asked, then));
        }
    }

    /** A bound is on the disk. */
    void kept(long bound) {
        kept = Math.max(kept, bound);
    }

    private void accept(long now, int from, Propose propose) {
        if (now - answersFrom < 0) {
            return;
        }
        Group group = group(now, propose.group());
        if (group == null) {
            return;
        }
        boolean granted = propose.ballot() >= group.promised;
        if (granted) {
            group.promised = propose.ballot();
            group.accepted = propose.lease();
            group.acceptedUntil = now + propose.lease().millis() * MILLI;
            group.latest = Math.max(group.latest, propose.lease().number());
            afterKeeping(propose.ballot() >>> INDEX_BITS, List.of(new Send(from, new Accepted(propose.group(), propose.ballot(), true, group.promised))));
        } else {
            actions.add(new Send(from, new Accepted(propose.group(), propose.ballot(), false, group.promised)));
        }
    }

    // What others have answered.

    private void promised(long now, int from, Promise promise) {
        Group group = groups.get(promise.group());
        Wish wish = group == null ? null : group.wish;
        if (wish == null || wish.proposes || promise.ballot() != wish.ballot) {
            return;
        }
        if (promise.granted()) {
            wish.open.set(from);
            wish.latest = Math.max(wish.latest, promise.latest());
            wish.number = promise.lease() == null ? wish.number : Math.max(wish.number, promise.lease().number());
        } else {
            round = Math.max(round, promise.promised() >>> INDEX_BITS);
            wish.other = promise.lease() == null ? wish.other : promise.lease().holder();
            wish.against.set(from);
        }
        if (wish.open.cardinality() >= majority()) {
            propose(now, wish);
        } else {
            lost(now, group);
        }
    }

    private void propose(long now, Wish wish) {
        wish.proposes = true;
        wish.started = now;
        wish.number = wish.number > 0 && wish.number == wish.latest ? wish.number : wish.ballot;
        wish.open.clear();
        wish.against.clear();
        actions.addAll(toAll(new Propose(wish.group, wish.ballot, new Lease(wish.number, wish.holder, wish.millis))));
    }

    private void accepted(long now, int from, Accepted accepted) {
        Group group = groups.get(accepted.group());
        Wish wish = group == null ? null : group.wish;
        if (wish == null || !wish.proposes || accepted.ballot() != wish.ballot) {
            return;
        }
        (accepted.granted() ? wish.open : wish.against).set(from);
        round = Math.max(round, accepted.promised() >>> INDEX_BITS);
        if (wish.open.cardinality() >= majority()) {
            over(group, new Lease(wish.number, wish.holder, wish.millis), wish.started + wish.millis * MILLI / DRIFT * (DRIFT - 1));
        } else {
            lost(now, group);
        }
    }

    /** Whether a majority cannot be had under this ballot any more. */
    private void lost(long now, Group group) {
        Wish wish = group.wish;
        if (wish.against.cardinality() <= members - majority()) {
            return;
        }
        if (wish.other != null) {
            over(group, null, now);
        } else {
            wish.losses = Math.min(wish.losses + 1, MOST_LOSSES);
            wish.due = now + random.nextLong(wish.losses * patience);
        }
    }

    private void over(Group group, Lease lease, long until) {
        Wish wish = group.wish;
        group.wish = null;
        actions.add(new Outcome(wish.group, wish.holder, lease, until, lease != null ? wish.holder : wish.other));
    }

    /** Null if there is no room for one that is not known. */
    private Group group(long now, String name) {
        Group known = groups.get(name);
        if (known == null) {
            if (groups.size() >= MOST_GROUPS && !forgets(now)) {
                return null;
            }
            known = new Group();
            known.busyUntil = now;
            known.promised = floor;
            known.latest = floor;
            groups.put(name, known);
        }
        return known;
    }

    /** The oldest that nobody holds and nobody of this node wants; what it was promised holds for all that are not remembered. */
    private boolean forgets(long now) {
        for (Iterator<Group> each = groups.values().iterator(); each.hasNext();) {
            Group oldest = each.next();
            if (oldest.wish == null && oldest.running(now) == null) {
                floor = Math.max(floor, oldest.promised);
                each.remove();
                return true;
            }
        }
        return false;
    }
}
