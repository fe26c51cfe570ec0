package org.tamanoir.node.routing.told;

import org.tamanoir.service.rule.Prefix;

/**
 * A prefix that a neighbour reaches, or lacks a way to.
 *
 * @param sequence 0 or more: which round of the destination's node this is. A way of a later round may be taken by everybody; in a message that asks for
 *                 a way, the round from which one is wanted
 * @param metric   the costs of the links on the way, 0 to {@value #UNREACHABLE}, which means that there is none any more
 */
public record ToldPrefix(Prefix prefix, long sequence, int metric) {
    /** No way: the infinity of RFC 8966, section 3.5.2. */
    public static final int UNREACHABLE = 0xFFFF;

    public ToldPrefix {
        if (sequence < 0 || metric < 0 || metric > UNREACHABLE) {
            throw new IllegalArgumentException("sequence " + sequence + ", metric " + metric);
        }
    }

    boolean isReachable() {
        return metric < UNREACHABLE;
    }
}
