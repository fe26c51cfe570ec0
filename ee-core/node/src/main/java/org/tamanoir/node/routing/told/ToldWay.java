package org.tamanoir.node.routing.told;

import org.tamanoir.service.rule.Prefix;

/**
 * A prefix that is known at a node.
 *
 * @param slot   the neighbour that is next on the way; {@link #HERE} or {@link #NONE}
 * @param metric the costs of the links on the way, or {@link ToldPrefix#UNREACHABLE}
 */
public record ToldWay(Prefix prefix, int slot, int metric, long sequence) {
    /** The node itself delivers. */
    public static final int HERE = Destination.HERE;
    /** There is no way any more: streams are refused, and no shorter prefix leads them. */
    public static final int NONE = Destination.NONE;
}
