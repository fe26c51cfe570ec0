package org.tamanoir.anep;

/** What two neighbours say to each other about taking streams, in control packets over UDP; {@code docs/anep.md} has the rules. */
public enum HopCheck {
    /** The node before asks. */
    QUESTION(0),
    /** New streams are taken. */
    OPEN(1),
    /** The node is stopping: streams that are open finish, and new ones are refused. */
    DRAINING(2);

    private static final HopCheck[] ALL = values();

    private final int number;

    HopCheck(int number) {
        this.number = number;
    }

    /** The octet on the wire. */
    public int number() {
        return number;
    }

    /** What an octet from the wire says, or null if it is nothing. */
    public static HopCheck of(int number) {
        return number < ALL.length ? ALL[number] : null;
    }
}
