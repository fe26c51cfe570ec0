package org.tamanoir.services.collect;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.collective.Operation;
import org.tamanoir.collective.Piece;
import org.tamanoir.collective.Signature;

/**
 * One operation at one node: contributions of its branches become one. A piece of a vector goes on as soon as all branches have brought it; what is combined as a whole
 * when all are done.
 */
final class Merge {
    private final long number;
    private final Signature signature;
    private final long total;
    private final int branches;
    private final boolean whole;
    private final List<Gathered> open = new ArrayList<>();
    /** Pieces that all branches have brought. */
    private long done;
    private int finished;

    /** One piece of the vector. */
    private static final class Gathered {
        private final Fold fold;
        private final int octets;
        private int branches;

        Gathered(Fold fold, int octets) {
            this.fold = fold;
            this.octets = octets;
        }
    }

    /** @param total octets of each contribution, where they have to be the same */
    Merge(long number, Signature signature, long total, int branches) {
        this.number = number;
        this.signature = signature;
        this.total = total;
        this.branches = branches;
        this.whole = signature.operation() == Operation.TOP || signature.operation() == Operation.QUANTILES;
    }

    long number() {
        return number;
    }

    Signature signature() {
        return signature;
    }

    /** Whether a branch does the same as those before it. */
    boolean fits(Piece piece) {
        return signature.equals(piece.signature()) && (whole || total == piece.total());
    }

    /** Pieces that all branches have brought. */
    long done() {
        return done;
    }

    /** Whether a piece is so far ahead of the slowest branch. */
    boolean isAhead(long offset, int window) {
        return !whole && offset / Piece.LONGEST >= done + window;
    }

    /**
     * Adds what one branch has brought; the pieces of a branch come in order.
     *
     * @return what all branches have brought now; null if that is nothing new
     */
    Piece add(Piece piece) {
        if (whole) {
            if (open.isEmpty()) {
                open.add(new Gathered(Fold.of(signature, 0), 0));
            }
            open.get(0).fold.add(piece);
            return piece.ends() && ++finished == branches ? merged(0, open.get(0).fold) : null;
        }
        long index = piece.offset() / Piece.LONGEST - done;
        while (open.size() <= index) {
            open.add(new Gathered(Fold.of(signature, piece.data().length), piece.data().length));
        }
        Gathered gathered = open.get((int) index);
        gathered.fold.add(piece);
        // The branches bring their pieces in order, and so all have brought the first before they all bring the second.
        return ++gathered.branches == branches ? merged(done++ * Piece.LONGEST, open.remove(0).fold) : null;
    }

    private Piece merged(long offset, Fold fold) {
        byte[] data = fold.octets();
        boolean sketch = signature.operation() == Operation.QUANTILES;
        return new Piece(Piece.Way.PART, sketch ? Piece.SKETCH : 0, signature, number, 0, whole ? data.length : total, offset, data);
    }

    /** What members get of the sketch. */
    byte[] quantiles() {
        return ((Fold.QuantileFold) open.get(0).fold).result();
    }

    /** Octets of vectors that it holds. */
    long held() {
        return open.stream().mapToLong(each -> each.octets).sum();
    }
}
