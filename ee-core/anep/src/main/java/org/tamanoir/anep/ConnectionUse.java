package org.tamanoir.anep;

/** What two neighbours say to each other about carrying one stream after another on one connection; {@code docs/anep.md} has the rules. */
public enum ConnectionUse {
    /** The opener of a stream can keep the connection for another one. */
    OFFER(0),
    /** The other side will take another stream on it. */
    ACCEPT(1),
    /** A direction ends here, and the connection does not. */
    END(2),
    /** The acceptor has seen both ends: the opener may send the first packet of another stream. */
    READY(3);

    private static final ConnectionUse[] ALL = values();

    private final int number;

    ConnectionUse(int number) {
        this.number = number;
    }

    /** The octet on the wire. */
    public int number() {
        return number;
    }

    /** The use of an octet from the wire, or null if it is none. */
    public static ConnectionUse of(int number) {
        return number < ALL.length ? ALL[number] : null;
    }
}
