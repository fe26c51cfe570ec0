package org.tamanoir.node.stream;

/**
 * The code point (RFC 2474) of the packet in hand in one direction of a stream, as rules and services have set it on its way so far. On
 * the loop of the stream; a packet travels from its first stage to its last in one call, so there is one packet in hand at a time.
 */
final class Marking {
    private final boolean ofConnection;
    private int base;
    private int now;

    /** @param ofConnection whether what a rule sets stays for what services emit by themselves, as with TCP, where it is the connection's */
    Marking(boolean ofConnection) {
        this.ofConnection = ofConnection;
    }

    /** A packet begins its way. @param dscp that its rule has set, 0 to 63; 0 for none */
    void enter(int dscp) {
        now = dscp;
        if (ofConnection) {
            base = dscp;
        }
    }

    /** A service emits something of its own, not because of a packet. */
    void begin() {
        now = base;
    }

    /** From here on the packet has another code point. */
    void set(int dscp) {
        now = dscp;
    }

    int now() {
        return now;
    }
}
