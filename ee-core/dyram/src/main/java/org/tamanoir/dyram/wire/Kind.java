package org.tamanoir.dyram.wire;

/** The first octet of every DyRAM packet, after the ANEP header. */
enum Kind {
    ANNOUNCE(1), LISTEN(2), JOIN(3), ACCEPT(4), REFUSE(5), DATA(6), NACK(7), REQUEST(8), HEARD(9), REPORT(10), ECHO(11), BEAT(12),
    LEAVE(13), CLOSE(14), WRONG(15), REJOIN(16), CHALLENGE(17), ANSWER(18), HAVE(19);

    private static final Kind[] BY_NUMBER = new Kind[20];

    static {
        for (Kind kind : values()) {
            BY_NUMBER[kind.number] = kind;
        }
    }

    private final int number;

    Kind(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }

    /** @return null if there is no such kind */
    static Kind of(int number) {
        return number < BY_NUMBER.length ? BY_NUMBER[number] : null;
    }
}
