package org.tamanoir.kernel;

/**
 * What the actions of a rule say of a packet.
 *
 * @param kind what becomes of it
 * @param dscp the code point to set, 0 to 63; -1 for none
 */
public record Done(Kind kind, int dscp) {
    /** The order is that of {@code TAM_DONE_*}. */
    public enum Kind {
        /** It goes on to its service. */
        UP,
        /** It ends here. */
        DROP,
        /** It goes to the next hop. */
        FORWARD
    }

    private static final Kind[] KINDS = Kind.values();
    private static final int NO_DSCP = 0xFF;

    /** Of the answer of {@code tam_rule_apply}: the kind in bits 0 to 7, the code point in bits 8 to 15. */
    static Done of(int answer) {
        int dscp = answer >> 8 & 0xFF;
        return new Done(KINDS[answer & 0xFF], dscp == NO_DSCP ? -1 : dscp);
    }
}
