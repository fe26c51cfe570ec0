package org.tamanoir.node.stream;

/** A stage through which a code point gets to the connection without a packet: its socket may be so full that none passes. */
interface Remarking {
    /** The connection gets the code point of now, or the one that a service from here on says, with what waits in its socket. */
    void remark();
}
