package org.tamanoir.collective;

/**
 * What all members have to agree on in one operation.
 *
 * @param element   of a {@code REDUCE}, or null
 * @param reduction of a {@code REDUCE}, or null
 * @param argument  the rank that gets the result of a {@code REDUCE} or {@code GATHER}, or {@link #ALL}; the rank that a {@code BROADCAST} comes from; how many a
 *                  {@code TOP} wants, at most {@link #MOST_TOP}; otherwise 0
 */
public record Signature(Operation operation, Element element, Reduction reduction, int argument) {
    /** All members get the result. */
    public static final int ALL = -1;
    /** As many as fit into one piece. */
    public static final int MOST_TOP = Piece.LONGEST / Signature.TOP_ENTRY;
    /** Octets of an entry of {@code TOP}: a score, a double, and what has it, an integer of 64 bits. */
    public static final int TOP_ENTRY = 16;

    public static Signature barrier() {
        return new Signature(Operation.BARRIER, null, null, 0);
    }

    /** @param target a rank or {@link #ALL} */
    public static Signature reduce(Element element, Reduction reduction, int target) {
        return new Signature(Operation.REDUCE, element, reduction, target);
    }

    public static Signature broadcast(int source) {
        return new Signature(Operation.BROADCAST, null, null, source);
    }

    /** @param target a rank or {@link #ALL} */
    public static Signature gather(int target) {
        return new Signature(Operation.GATHER, null, null, target);
    }

    public static Signature top(int most) {
        return new Signature(Operation.TOP, null, null, most);
    }

    public static Signature quantiles() {
        return new Signature(Operation.QUANTILES, null, null, 0);
    }

    /** Whether a group of that size can do it. */
    public boolean isValid(int size) {
        boolean vector = operation == Operation.REDUCE;
        if (vector ? element == null || reduction == null || !reduction.takes(element) : element != null || reduction != null) {
            return false;
        }
        return switch (operation) {
            case BARRIER, QUANTILES -> argument == 0;
            case REDUCE, GATHER -> argument >= ALL && argument < size;
            case BROADCAST -> argument >= 0 && argument < size;
            case TOP -> argument >= 1 && argument <= MOST_TOP;
        };
    }

    /** Whether the result is for one of these ranks. */
    public boolean isFor(Ranks ranks) {
        return operation != Operation.REDUCE && operation != Operation.GATHER || argument == ALL || ranks.contains(argument);
    }
}
