package org.tamanoir.client.session;

/** What the two ends of a session say to each other beside the octets. */
public sealed interface SessionMessage {
    /**
     * What the opener says first on a leg.
     *
     * @param token    16 octets, as two numbers, that nobody else knows
     * @param epoch    of the leg, from 1
     * @param fresh    whether no leg was ever answered: an acceptor that does not know the session may begin it
     * @param received octets that the opener has
     * @param checksum CRC-32C of them
     */
    record Resume(long session, long tokenHigh, long tokenLow, int epoch, boolean fresh, long received, int checksum) implements SessionMessage {
    }

    /** What the acceptor answers: octets that it has, and their CRC-32C. */
    record Welcome(long received, int checksum) implements SessionMessage {
    }

    /**
     * Says how far its sender is. In order with the octets.
     *
     * @param offset   octets sent before it
     * @param checksum CRC-32C of them
     * @param last     whether the direction ends here
     * @param kept     octets of the other direction that are where they shall be
     * @param keptLast whether that is all of it, its end included
     */
    record Mark(long offset, int checksum, boolean last, long kept, boolean keptLast) implements SessionMessage {
    }
}
