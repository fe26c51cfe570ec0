package org.tamanoir.membership;

/** Which streams must come to the same back end. Ordered: a pool gives what the neediest of its services asks for. */
public enum Affinity {
    /** None: every stream stands alone. */
    NONE,
    /** Those of one source address, over TCP and UDP: what one of them has left in the node, such as a session, the others find. */
    SOURCE
}
