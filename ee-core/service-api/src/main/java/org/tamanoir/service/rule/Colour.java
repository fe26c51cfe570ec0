package org.tamanoir.service.rule;

/** What a meter says of a packet (RFC 2697, RFC 2698). The order is that of {@link #ordinal} in the kernel: green 0, yellow 1, red 2. */
public enum Colour {
    GREEN, YELLOW, RED;

    private static final Colour[] ALL = values();

    /** The colour that a code point says: the drop precedence of assured forwarding (RFC 2597); anything else is green. */
    public static Colour ofDscp(int dscp) {
        int group = dscp >> 3;
        int precedence = dscp >> 1 & 3;
        return group >= 1 && group <= 4 && (dscp & 1) == 0 && precedence >= 1 ? ALL[precedence - 1] : GREEN;
    }

    /** The colour of an {@link #ordinal}. */
    public static Colour of(int ordinal) {
        return ALL[ordinal];
    }
}
