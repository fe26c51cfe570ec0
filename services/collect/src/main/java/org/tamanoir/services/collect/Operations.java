package org.tamanoir.services.collect;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.collective.Operation;
import org.tamanoir.collective.Piece;
import org.tamanoir.collective.Ranks;
import org.tamanoir.collective.Signature;

/** The operations of a group that has all its members, at one node: what goes up, what comes down, and what one member has for others. */
final class Operations {
    private final boolean root;
    private final int size;
    private final Limits limits;
    private final Neighbours out;
    private final Map<Integer, Branch> branches;
    private final Ranks joined;
    private final Cuts cuts;
    private final Loss loss;
    private final TreeMap<Long, Merge> open = new TreeMap<>();
    /** Octets that have passed of each operation that is under way. */
    private final Map<Long, Long> passed = new HashMap<>();
    /** Branches when the group became ready. */
    private int width;
    private long done;

    /** Whoever hears that the group cannot go on for want of somebody. */
    interface Loss {
        void lose(long now, Ranks ranks, int code, String text);
    }

    /** @param branches of the group, and joined: what the group keeps */
    Operations(boolean root, int size, Limits limits, Neighbours out, Map<Integer, Branch> branches, Ranks joined, Cuts cuts, Loss loss) {
        this.root = root;
        this.size = size;
        this.limits = limits;
        this.out = out;
        this.branches = branches;
        this.joined = joined;
        this.cuts = cuts;
        this.loss = loss;
    }

    /** All members are there. */
    void begin() {
        width = branches.size();
        cuts.begin(width);
    }

    /** Nothing is owed any more. */
    void end() {
        open.clear();
        passed.clear();
    }

    /** The last that is complete here; 0 for none. */
    long done() {
        return done;
    }

    boolean areUnderWay() {
        return !open.isEmpty() || !passed.isEmpty();
    }

    /** Whether one has begun that a branch has not contributed to. */
    boolean needs(Branch branch) {
        return open.values().stream().anyMatch(merge -> merge.number() > branch.finished);
    }

    /** Whether a branch is too far ahead of the slowest. */
    boolean isAhead(Branch branch, int window) {
        Merge merge = open.get(branch.finished + 1);
        return merge != null && merge.isAhead(branch.offset, window);
    }

    /** Octets of vectors that this node holds. */
    long held() {
        return open.values().stream().mapToLong(Merge::held).sum();
    }

    /**
     * What a branch brings.
     *
     * @throws AnepException EE-109 or EE-309 for what it may not say
     */
    void fromBelow(long now, Branch branch, Piece piece) {
        Signature signature = piece.signature();
        if (piece.number() != branch.finished + 1 || !signature.isValid(size)) {
            throw bad("a piece of operation " + piece.number() + " where " + (branch.finished + 1) + " is next");
        }
        if (piece.number() > done + limits.operations()) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "operation " + piece.number() + " while " + (done + 1) + " is not complete; " + limits.operations() + " may be under way");
        }
        if (piece.way() == Piece.Way.DATA) {
            if (!branch.ranks.contains(piece.rank()) || !branch.node && piece.offset() != branch.dataOffset) {
                throw bad("octets " + piece.offset() + " of rank " + piece.rank() + (branch.node ? " from somebody else" : "; " + branch.dataOffset + " come next of " + branch.ranks));
            }
            branch.dataOffset += piece.data().length;
            branch.dataLeft = piece.total() - branch.dataOffset;
            route(branch.id, piece);
        } else if (piece.way() == Piece.Way.PART) {
            part(now, branch, piece);
        } else {
            throw bad("a result comes up");
        }
    }

    private void part(long now, Branch branch, Piece piece) {
        Signature signature = piece.signature();
        boolean sketch = piece.has(Piece.SKETCH);
        if (sketch && (!branch.node || signature.operation() != Operation.QUANTILES) || piece.offset() != branch.offset) {
            throw bad(sketch ? "a sketch that no node has made" : "octets " + piece.offset() + " of a contribution; " + branch.offset + " come next");
        }
        if (!branch.node && branch.dataLeft > 0) {
            throw bad("the last " + branch.dataLeft + " octets of what rank " + branch.ranks + " has for others are missing");
        }
        if (piece.total() > limits.vectorOctets()) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "a vector of " + piece.total() + " octets; it may have " + limits.vectorOctets());
        }
        if (signature.operation() == Operation.REDUCE && piece.total() % signature.element().octets() != 0) {
            throw bad("a vector of " + piece.total() + " octets, of elements of " + signature.element().octets());
        }
        Merge merge = open.computeIfAbsent(piece.number(), number -> new Merge(number, signature, piece.total(), width));
        Ranks away = Ranks.none();
        branches.values().stream().filter(each -> each.left && each.finished < piece.number()).forEach(each -> away.add(each.ranks));
        if (!away.isEmpty()) {
            loss.lose(now, away, ErrorCode.CONNECTION_LOST.number(), "left, and the others go on");
            return;
        }
        if (!merge.fits(piece)) {
            loss.lose(now, branch.ranks, ErrorCode.BAD_CONTENT.number(), "operation " + piece.number() + " is " + described(signature, piece.total()) + " for some and "
                    + described(merge.signature(), -1) + " for others");
            return;
        }
        Piece merged = merge.add(piece);
        branch.offset += piece.data().length;
        if (piece.ends()) {
            branch.finished++;
            branch.offset = 0;
            branch.dataOffset = 0;
            branch.dataLeft = 0;
        }
        if (merged != null && root) {
            complete(merge, merged);
        } else if (merged != null) {
            out.send(Neighbours.UP, merged);
        }
    }

    private static String described(Signature signature, long total) {
        return signature.operation() + (signature.element() == null ? "" : " " + signature.reduction() + " of " + signature.element())
                + (total > 0 ? " of " + total + " octets" : "") + " (" + signature.argument() + ")";
    }

    /** At the root: a piece of the result is there. */
    private void complete(Merge merge, Piece merged) {
        byte[] data = merge.signature().operation() == Operation.QUANTILES ? merge.quantiles() : merged.data();
        boolean last = merged.ends();
        boolean save = last && cuts.isWanted(merge.number());
        long total = merge.signature().operation() == Operation.QUANTILES ? data.length : merged.total();
        pass(new Piece(Piece.Way.RESULT, (last ? Piece.LAST : 0) | (save ? Piece.SAVE : 0), merge.signature(), merge.number(), 0, total, merged.offset(), data));
    }

    /** Passes a result on to those who get it. */
    private void pass(Piece result) {
        for (Branch branch : branches.values()) {
            if (result.signature().isFor(branch.ranks)) {
                out.send(branch.id, result);
            } else if (result.has(Piece.LAST)) {
                out.send(branch.id, result.withoutData());
            }
        }
        if (result.has(Piece.LAST)) {
            done = result.number();
            out.completed(result.signature().operation());
            open.remove(done);
            passed.remove(done);
        }
    }

    /** Passes on what one member has for others, to all neighbours behind which there is one of them. */
    private void route(int from, Piece piece) {
        Signature signature = piece.signature();
        if (piece.number() <= done) {
            throw bad("a piece of operation " + piece.number() + ", which is complete");
        }
        boolean gather = signature.operation() == Operation.GATHER;
        if (!gather && (signature.operation() != Operation.BROADCAST || signature.argument() != piece.rank())) {
            throw bad("rank " + piece.rank() + " has data for others in " + described(signature, 0));
        }
        long most = gather ? limits.gatherOctets() : limits.vectorOctets();
        if (piece.total() > most || passed.merge(piece.number(), (long) piece.data().length, Long::sum) > most) {
            throw new AnepException(ErrorCode.SERVICE_LIMIT, "operation " + piece.number() + " brings more than " + most + " octets");
        }
        for (Branch branch : branches.values()) {
            if (branch.id != from && signature.isFor(branch.ranks)) {
                out.send(branch.id, piece);
            }
        }
        boolean above = signature.argument() == Signature.ALL || !gather ? joined.count() < size : !joined.contains(signature.argument());
        if (!root && from != Neighbours.UP && above) {
            out.send(Neighbours.UP, piece);
        }
    }

    /** What comes from the node above. @throws AnepException EE-109 for what makes no sense */
    void fromUp(Piece piece) {
        if (piece.way() == Piece.Way.PART) {
            throw bad("a contribution comes down");
        }
        if (piece.way() == Piece.Way.DATA) {
            route(Neighbours.UP, piece);
            return;
        }
        if (piece.has(Piece.SAVE)) {
            cuts.told(piece.number());
        }
        pass(piece);
    }

    /** Branches that an operation waits for: those that do not take what is said to them; otherwise those that have brought the least. */
    List<Branch> behind(long number) {
        List<Branch> those = branches.values().stream().filter(branch -> branch.full).toList();
        if (!those.isEmpty()) {
            return those;
        }
        long finished = branches.values().stream().mapToLong(branch -> branch.finished).min().orElse(number);
        those = branches.values().stream().filter(branch -> branch.finished == finished && finished < number).toList();
        long least = those.stream().mapToLong(branch -> branch.offset).min().orElse(0);
        return those.stream().filter(branch -> branch.offset == least).toList();
    }

    private static AnepException bad(String text) {
        return new AnepException(ErrorCode.BAD_CONTENT, text);
    }
}
