package org.tamanoir.kernel;

/**
 * What the actions of a rule say of a packet. There is one instance for each pair of values: none is made for a packet.
 *
 * @param kind what becomes of it
 * @param dscp the code point that it leaves with, 0 to 63; -1: as it is
 */
public record RuleOutcome(Kind kind, int dscp) {
    /** The order is that of {@code TAM_DONE_*}. */
    public enum Kind {
        /** It goes on to its service. */
        UP,
        /** It ends here. */
        DROP,
        /** It goes to the next hop, past its service. */
        FORWARD
    }

    private static final int CODE_POINTS = 64;
    private static final int NO_DSCP = 0xFF;
    private static final RuleOutcome[] ALL = new RuleOutcome[3 * (CODE_POINTS + 1)];

    static {
        for (Kind kind : Kind.values()) {
            for (int dscp = -1; dscp < CODE_POINTS; dscp++) {
                ALL[kind.ordinal() * (CODE_POINTS + 1) + dscp + 1] = new RuleOutcome(kind, dscp);
            }
        }
    }

    /** The one of these values. */
    public static RuleOutcome of(Kind kind, int dscp) {
        return ALL[kind.ordinal() * (CODE_POINTS + 1) + dscp + 1];
    }

    /** Of the answer of {@code tam_rule_apply}: the kind in bits 0 to 7, the code point in bits 8 to 15, which a dropped packet loses. */
    static RuleOutcome of(int answer) {
        int kind = answer & 0xFF;
        int dscp = answer >> 8 & 0xFF;
        return ALL[kind * (CODE_POINTS + 1) + (dscp == NO_DSCP || kind == Kind.DROP.ordinal() ? 0 : dscp + 1)];
    }
}
