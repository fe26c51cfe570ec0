package org.tamanoir.service.rule;

/**
 * What happens to packets of a colour.
 *
 * @param kind what
 * @param dscp the code point of {@link Kind#MARK}; 0 otherwise
 */
public record Treatment(Kind kind, int dscp) {
    /** What can happen. */
    public enum Kind {
        /** Goes on as it is. */
        PASS,
        /** Ends here. */
        DROP,
        /** Goes on with another code point. */
        MARK
    }

    public static final Treatment PASS = new Treatment(Kind.PASS, 0);
    public static final Treatment DROP = new Treatment(Kind.DROP, 0);

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException out of range
     */
    public Treatment {
        Action.checkDscp(dscp);
    }

    /** The packet goes on with a code point, 0 to 63. */
    public static Treatment mark(int dscp) {
        return new Treatment(Kind.MARK, dscp);
    }
}
