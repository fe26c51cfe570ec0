package org.tamanoir.services.collect;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.collective.Frame;
import org.tamanoir.collective.Piece;
import org.tamanoir.collective.Ranks;

/**
 * One node's part of one group: branches below, and the way to the root above unless this is the root. No clock and no I/O: it is told what comes, and when, and says what
 * to do through {@link Neighbours}.
 *
 * <p>Branches join until the root has all ranks and says so. From then on the tree stays as it is: each operation goes up as soon as all branches have contributed, and its
 * result comes down. Whoever is missing breaks the group for all: the root says so, and names the ranks.
 */
final class Group {
    /** Pieces of one vector that a branch may be ahead of the slowest; what was read before it was paused still comes. */
    static final int WINDOW = 16;
    /** How long the nodes below may take to say who is missing. */
    static final long INQUIRY_NANOS = 2_000_000_000L;
    private static final long NEVER = Long.MAX_VALUE;

    private enum State { JOINING, READY, BROKEN }

    private final boolean root;
    private final int size;
    private final Frame.Join name;
    private final Limits limits;
    private final Neighbours out;
    private final Map<Integer, Branch> branches = new TreeMap<>();
    private final Ranks joined = Ranks.none();
    private final Cuts cuts;
    private final Operations operations;
    private State state = State.JOINING;
    private Ranks unsaid = Ranks.none();
    private long announceAt = NEVER;
    private long progress;
    private Inquiry inquiry;
    /** A member that is lost has been reported to the root. */
    private boolean reported;
    private boolean upPaused;
    private boolean upFull;
    /** The node above knows of this one. */
    private boolean announced;
    /** All that were here have left. */
    private boolean left;

    /**
     * @param first what the first to join has said: name, epoch and size are the group's
     * @throws AnepException EE-309 if the group is larger than it may be
     */
    Group(boolean root, Frame.Join first, Limits limits, Neighbours out, long now) {
        if (first.size() > limits.members()) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "a group of " + first.size() + " members; this node takes " + limits.members());
        }
        this.root = root;
        this.name = first;
        this.size = first.size();
        this.limits = limits;
        this.out = out;
        this.progress = now;
        this.cuts = new Cuts(root, out, branches);
        this.operations = new Operations(root, size, limits, out, branches, joined, cuts, this::lose);
    }

    /** Nobody is left: it can be forgotten. */
    boolean isOver() {
        return branches.isEmpty();
    }

    /** The way up has been ended in good order; otherwise it is to be cut when nobody is left. */
    boolean hasLeft() {
        return left;
    }

    boolean isBroken() {
        return state == State.BROKEN;
    }

    // Who is there.

    /**
     * A branch joins, or a node that has joined names more ranks.
     *
     * @throws AnepException EE-318 if it comes too late, its rank is taken, or the size is another
     */
    void join(long now, int id, Frame.Join join) {
        AnepException why = refusal(join);
        Branch branch = branches.get(id);
        if (why != null) {
            if (branch == null || !branch.node) {
                throw why;
            }
            out.send(id, new Frame.Refused(why.code().number(), join.ranks(), why.text()));
            return;
        }
        if (branch == null) {
            branch = new Branch(id);
            branch.node = join.node();
            branches.put(id, branch);
        } else if (!branch.node || !join.node()) {
            throw bad("a member joins once");
        }
        branch.ranks.add(join.ranks());
        joined.add(join.ranks());
        progress = now;
        if (!root) {
            unsaid.add(join.ranks());
            announceAt = joined.count() == size ? now : Math.min(announceAt, now + limits.holdNanos());
        } else if (joined.count() == size) {
            ready(now);
        }
    }

    private AnepException refusal(Frame.Join join) {
        if (state != State.JOINING || left) {
            return new AnepException(ErrorCode.SERVICE_REFUSED, left ? "all who had joined here have left: join again" : state == State.READY ? "the group has all its members" : "the group is broken: join its next epoch");
        }
        if (join.size() != size) {
            return new AnepException(ErrorCode.SERVICE_REFUSED, "the group has " + size + " members, and not " + join.size());
        }
        return joined.intersects(join.ranks()) ? new AnepException(ErrorCode.SERVICE_REFUSED, "somebody else has joined as " + joined.and(join.ranks())) : null;
    }

    private void ready(long now) {
        state = State.READY;
        operations.begin();
        progress = now;
        branches.values().forEach(branch -> out.send(branch.id, new Frame.Ready()));
    }

    private void announce() {
        announceAt = NEVER;
        if (!unsaid.isEmpty()) {
            announced = true;
            out.send(Neighbours.UP, new Frame.Join(true, name.epoch(), size, name.name(), unsaid));
            unsaid = Ranks.none();
        }
    }

    /**
     * A branch has ended, or is cut because of what it did.
     *
     * @param code the number of an error
     * @param text why, in a few words, if it had not left
     */
    void gone(long now, int id, int code, String text) {
        Branch branch = branches.remove(id);
        if (branch == null) {
            return;
        }
        if (!branch.left && state != State.BROKEN) {
            lose(now, branch.ranks, code, text);
        }
        rest();
    }

    private void lose(long now, Ranks ranks, int code, String text) {
        if (state == State.JOINING) {
            joined.remove(ranks);
            Ranks announced = ranks.without(unsaid);
            unsaid.remove(ranks);
            if (!root && !announced.isEmpty()) {
                out.send(Neighbours.UP, new Frame.Gone(code, announced, text));
            }
        } else if (root) {
            fail(code, ranks, text);
        } else if (!reported) {
            reported = true;
            progress = now;
            out.send(Neighbours.UP, new Frame.Gone(code, ranks, text));
            // What the root says must not wait behind results for somebody who does not take them.
            branches.values().forEach(this::drop);
            pauses();
        }
    }

    private void drop(Branch branch) {
        out.drop(branch.id);
        branch.full = false;
    }

    private void fail(int code, Ranks missing, String text) {
        broken(new Frame.Failed(code, cuts.safe(), missing, text));
    }

    private void broken(Frame.Failed failed) {
        state = State.BROKEN;
        out.broken(failed.code(), failed.text());
        inquiry = null;
        announceAt = NEVER;
        operations.end();
        for (Branch branch : List.copyOf(branches.values())) {
            drop(branch);
            out.send(branch.id, failed);
            out.end(branch.id);
            resume(branch);
        }
        if (!root && upPaused) {
            upPaused = false;
            out.pause(Neighbours.UP, false);
        }
    }

    /** The way to the root is lost: nobody knows about the others. */
    void upGone(AnepException why) {
        if (state != State.BROKEN && !left) {
            broken(new Frame.Failed(why.code().number(), cuts.safe(), Ranks.none(), "the way to the root is lost: " + why.text()));
        }
    }

    // What branches say.

    /** @throws AnepException EE-109 or EE-309 for what a branch may not say; cut it, and say {@link #gone} */
    void receive(long now, int id, Frame frame) {
        Branch branch = branches.get(id);
        // One that is lost is on its way to the root, which breaks the group.
        if (branch == null || state == State.BROKEN || reported && frame instanceof Piece) {
            return;
        }
        if (frame instanceof Piece piece) {
            if (branch.left) {
                throw bad("a piece of operation " + piece.number() + " behind its end");
            }
            whenReady();
            progress = now;
            operations.fromBelow(now, branch, piece);
            pauses();
        } else if (frame instanceof Frame.Join join) {
            join(now, id, join);
        } else if (frame instanceof Frame.Leave) {
            leaves(now, branch);
        } else if (frame instanceof Frame.Ask) {
            whenReady();
            cuts.ask();
        } else if (frame instanceof Frame.Saved saved) {
            cuts.saved(branch, saved.number());
        } else if (frame instanceof Frame.Gone gone && branch.node) {
            goneBelow(now, branch, gone);
        } else if (frame instanceof Frame.Missing missing && branch.node) {
            if (inquiry != null) {
                inquiry.answered(id, missing.ranks().and(branch.ranks));
                answer(false);
            }
        } else {
            throw bad("a " + (branch.node ? "node" : "member") + " says " + frame.getClass().getSimpleName());
        }
    }

    private void goneBelow(long now, Branch branch, Frame.Gone gone) {
        Ranks ranks = gone.ranks().and(branch.ranks);
        if (state == State.JOINING) {
            branch.ranks.remove(ranks);
        }
        lose(now, ranks, gone.code(), gone.text());
    }

    private void leaves(long now, Branch branch) {
        if (state == State.JOINING) {
            Ranks ranks = branch.ranks.copy();
            branch.ranks.remove(ranks);
            lose(now, ranks, ErrorCode.CONNECTION_LOST.number(), "left before all were there");
        }
        branch.left = true;
        out.end(branch.id);
        if (state == State.READY && operations.needs(branch)) {
            lose(now, branch.ranks, ErrorCode.CONNECTION_LOST.number(), "left, and the others go on");
        }
        rest();
    }

    /** All have left or are gone. */
    private void rest() {
        if (!root && !left && state != State.BROKEN && branches.values().stream().allMatch(each -> each.left)) {
            left = true;
            if (announced) {
                out.send(Neighbours.UP, new Frame.Leave());
                out.end(Neighbours.UP);
            }
        }
    }

    // What the root says.

    /** @throws AnepException EE-109 for what makes no sense: the way up is to be cut */
    void receiveFromUp(long now, Frame frame) {
        if (state == State.BROKEN || reported && frame instanceof Piece) {
            return;
        }
        progress = now;
        if (frame instanceof Piece piece) {
            whenReady();
            operations.fromUp(piece);
            pauses();
        } else if (frame instanceof Frame.Ready) {
            ready(now);
        } else if (frame instanceof Frame.Failed failed) {
            broken(failed);
        } else if (frame instanceof Frame.Refused refused) {
            refused(refused);
        } else if (frame instanceof Frame.Safe told) {
            cuts.safe(told.number());
        } else if (frame instanceof Frame.Who who) {
            inquire(now, true, who.number(), Math.min(Duration.ofMillis(who.millis()).toNanos(), INQUIRY_NANOS));
        } else {
            throw bad("a node says " + frame.getClass().getSimpleName() + " downward");
        }
    }

    private void refused(Frame.Refused refused) {
        for (Branch branch : List.copyOf(branches.values())) {
            Ranks theirs = branch.ranks.and(refused.ranks());
            if (theirs.isEmpty()) {
                continue;
            }
            branch.ranks.remove(theirs);
            joined.remove(theirs);
            out.send(branch.id, new Frame.Refused(refused.code(), theirs, refused.text()));
            if (!branch.node) {
                branch.left = true;
                out.end(branch.id);
            }
        }
    }

    // Waiting.

    /** Whether a neighbour takes what is said to it; one that does not makes others wait. */
    void full(int neighbour, boolean full) {
        if (neighbour == Neighbours.UP) {
            upFull = full;
        } else if (branches.containsKey(neighbour)) {
            branches.get(neighbour).full = full;
        }
        pauses();
    }

    /**
     * The way down never waits for the way up: a node reads what comes from above unless a branch does not take it. So what comes down is taken in the end, by members
     * who read, and the way up by nodes whose branches do.
     */
    private void pauses() {
        if (state == State.BROKEN) {
            return;
        }
        boolean belowFull = branches.values().stream().anyMatch(branch -> branch.full);
        for (Branch branch : branches.values()) {
            if (belowFull || upFull || operations.isAhead(branch, WINDOW)) {
                if (!branch.paused) {
                    branch.paused = true;
                    out.pause(branch.id, true);
                }
            } else {
                resume(branch);
            }
        }
        if (!root && upPaused != belowFull) {
            upPaused = belowFull;
            out.pause(Neighbours.UP, belowFull);
        }
    }

    private void resume(Branch branch) {
        if (branch.paused) {
            branch.paused = false;
            out.pause(branch.id, false);
        }
    }

    /** Whether others owe something to somebody here. */
    private boolean isWaiting() {
        return switch (state) {
            case JOINING -> branches.values().stream().anyMatch(branch -> !branch.left);
            case READY -> operations.areUnderWay() || reported || branches.values().stream().anyMatch(branch -> branch.full);
            case BROKEN -> false;
        };
    }

    private void inquire(long now, boolean asked, long number, long nanos) {
        inquiry = new Inquiry(now, asked, nanos);
        inquiry.ask(operations.behind(number), number, out);
        answer(false);
    }

    /** Says who is missing, if all have answered. @param late whether whoever has not is missing too */
    private void answer(boolean late) {
        if (!late && !inquiry.isAnswered()) {
            return;
        }
        Inquiry over = inquiry;
        inquiry = null;
        if (over.asked) {
            out.send(Neighbours.UP, new Frame.Missing(over.missing()));
        } else if (progress - over.began <= 0) {
            silent(over.began, over.missing());
        }
    }

    private void silent(long now, Ranks missing) {
        if (root || !missing.isEmpty()) {
            lose(now, missing, ErrorCode.IDLE_TIMEOUT.number(), silence(missing));
        }
    }

    private String silence(Ranks missing) {
        return "nothing was heard for " + limits.patienceNanos() / 1_000_000 + " ms of " + (missing.isEmpty() ? "anybody" : "rank " + missing);
    }

    /** Time has passed. @return when it wants to be told again, at the latest */
    long tick(long now) {
        if (now >= announceAt) {
            announce();
        }
        if (inquiry != null && now >= inquiry.until) {
            answer(true);
        }
        if (isWaiting() && inquiry == null && now >= progress + limits.patienceNanos()) {
            overdue(now);
        }
        return Math.min(announceAt, inquiry != null ? inquiry.until : isWaiting() && now < progress + limits.patienceNanos() ? progress + limits.patienceNanos() : givingUp(now));
    }

    private void overdue(long now) {
        if (root && state == State.JOINING) {
            Ranks missing = Ranks.below(size).without(joined);
            fail(ErrorCode.IDLE_TIMEOUT.number(), missing, silence(missing));
        } else if (state == State.READY && !reported && (root || !operations.behind(operations.done() + 1).isEmpty())) {
            inquire(now, false, operations.done() + 1, INQUIRY_NANOS);
        } else if (!root && now >= givingUp(now)) {
            broken(new Frame.Failed(ErrorCode.IDLE_TIMEOUT.number(), cuts.safe(), Ranks.none(), "nothing is heard of the root"));
        }
    }

    /** The nodes above have found out by then who is missing, and one that hears nothing of it is cut off. */
    private long givingUp(long now) {
        return (isWaiting() ? progress + limits.patienceNanos() + 2 * INQUIRY_NANOS : now) + limits.patienceNanos();
    }

    private void whenReady() {
        if (state != State.READY) {
            throw bad("operations begin when all members are there");
        }
    }

    private static AnepException bad(String text) {
        return new AnepException(ErrorCode.BAD_CONTENT, text);
    }

    // What is shown.

    Map<String, Object> shown() {
        Map<String, Object> shown = new TreeMap<>();
        shown.put("group", name.name());
        shown.put("epoch", name.epoch());
        shown.put("root", root);
        shown.put("state", state.name().toLowerCase(Locale.ROOT));
        shown.put("size", size);
        shown.put("joined", joined.count());
        shown.put("complete", operations.done());
        shown.put("safe", cuts.safe());
        List<Map<String, Object>> below = new ArrayList<>();
        branches.values().stream().limit(1000).forEach(branch -> below.add(Map.of("ranks", branch.ranks.toString(), "node", branch.node, "contributed", branch.finished, "left", branch.left)));
        shown.put("branches", below);
        shown.put("heldOctets", operations.held());
        return shown;
    }
}
