package org.tamanoir.anep;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * What the two ends of a stream that outlives its nodes say to each other beside the octets; {@code docs/anep.md} has the rules. Nodes pass it on. A packet has one
 * at most.
 */
public sealed interface SessionMessage {
    /**
     * In the first packet of each chain of nodes that carries the stream.
     *
     * @param tokenHigh the first 8 of 16 octets that nobody else knows; {@code tokenLow} has the others
     * @param epoch     of the chain, from 1
     * @param fresh     whether no chain was ever answered: an end that does not know the session may begin it
     * @param received  octets that the opener has
     * @param checksum  CRC-32C of them
     */
    record Resume(long session, long tokenHigh, long tokenLow, int epoch, boolean fresh, long received, int checksum) implements SessionMessage {
        /**
         * The same, with a token that who holds it alone cannot make: the first 16 octets of the SHA-256 of the token and the identity. The first node
         * does this for a user whom it knows, so that nodes and the far end need remember nothing for it.
         */
        public Resume boundTo(String identity) {
            try {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                digest.update(ByteBuffer.allocate(16).putLong(tokenHigh).putLong(tokenLow).flip());
                ByteBuffer bound = ByteBuffer.wrap(digest.digest(identity.getBytes(StandardCharsets.UTF_8)));
                return new Resume(session, bound.getLong(), bound.getLong(), epoch, fresh, received, checksum);
            } catch (NoSuchAlgorithmException e) {
                throw new AssertionError(e);
            }
        }

        /** Why it is refused, in words: EE-223 to EE-226. */
        public AnepException refused(ErrorCode why) {
            return new AnepException(why, switch (why) {
                case SESSION_UNKNOWN -> this + " is not known here: it is over, or this end has begun anew";
                case SESSION_FOREIGN -> this + " belongs to somebody else";
                case SESSION_SUPERSEDED -> this + " has gone on by a later epoch";
                default -> this + " does not have what was sent to it";
            });
        }

        /** Not the token: it would end up in logs. */
        @Override
        public String toString() {
            return "session %016x, epoch %d, %s after %d octets".formatted(session, epoch, fresh ? "begun" : "resumed", received);
        }
    }

    /** The first packet back on a chain: octets that the acceptor has, and their CRC-32C. */
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
     * @param over     why the session is over before its time; null where it goes on
     */
    record Mark(long offset, int checksum, boolean last, long kept, boolean keptLast, ErrorCode over) implements SessionMessage {
    }
}
