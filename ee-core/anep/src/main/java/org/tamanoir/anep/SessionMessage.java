package org.tamanoir.anep;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What the two ends of a stream that outlives its nodes say to each other beside the octets; {@code docs/anep.md} has the rules. Nodes pass it on. A packet has one
 * at most.
 */
public sealed interface SessionMessage {
    /** Octets that the states of a packet may have together, with what they are labelled by. */
    int MOST_STATE = 60_000;

    /**
     * What a service knows of one direction of the stream where the packet stands.
     *
     * @param of     the service and its version
     * @param octets in a form of its own; none: nothing yet
     */
    record State(String of, byte[] octets) {
    }

    /** What services on the way have added, in the order in which the packet passed them; nobody but they can read it. */
    List<State> states();

    /** The same with other states. */
    SessionMessage with(List<State> others);

    /**
     * In the first packet of each chain of nodes that carries the stream.
     *
     * @param tokenHigh the first 8 of 16 octets that nobody else knows; {@code tokenLow} has the others
     * @param epoch     of the chain, from 1
     * @param fresh     whether no chain was ever answered: an end that does not know the session may begin it
     * @param received  octets that the opener has, as far as the other end is to go on behind them
     * @param checksum  CRC-32C of them
     * @param states    what services knew of the way to the opener there; where it is fresh, those of the way from it that know something
     */
    record Resume(long session, long tokenHigh, long tokenLow, int epoch, boolean fresh, long received, int checksum, List<State> states) implements SessionMessage {
        public Resume(long session, long tokenHigh, long tokenLow, int epoch, boolean fresh, long received, int checksum) {
            this(session, tokenHigh, tokenLow, epoch, fresh, received, checksum, List.of());
        }

        @Override
        public Resume with(List<State> others) {
            return new Resume(session, tokenHigh, tokenLow, epoch, fresh, received, checksum, List.copyOf(others));
        }

        /**
         * The same, with a token that who holds it alone cannot make: the first 16 octets of the SHA-256 of the token and the identity. The first node
         * does this for a user whom it knows, so that nodes and the far end need remember nothing for it.
         */
        public Resume boundTo(String identity) {
            try {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                digest.update(ByteBuffer.allocate(16).putLong(tokenHigh).putLong(tokenLow).flip());
                ByteBuffer bound = ByteBuffer.wrap(digest.digest(identity.getBytes(StandardCharsets.UTF_8)));
                return new Resume(session, bound.getLong(), bound.getLong(), epoch, fresh, received, checksum, states);
            } catch (NoSuchAlgorithmException e) {
                throw new AssertionError(e);
            }
        }

        /** Why it is refused, in words: EE-223 to EE-226, EE-230. */
        public AnepException refused(ErrorCode why) {
            return new AnepException(why, switch (why) {
                case SESSION_UNKNOWN -> this + " is not known here: it is over, or this end has begun anew";
                case SESSION_FOREIGN -> this + " belongs to somebody else";
                case SESSION_SUPERSEDED -> this + " has gone on by a later epoch";
                case SESSION_STATE -> this + " brings what services knew, and there is none on this chain that takes it: " + of(states);
                default -> this + " does not have what was sent to it";
            });
        }

        /** Not the token: it would end up in logs. */
        @Override
        public String toString() {
            return "session %016x, epoch %d, %s after %d octets".formatted(session, epoch, fresh ? "begun" : "resumed", received);
        }
    }

    /**
     * The first packet back on a chain.
     *
     * @param received octets that the acceptor has, as far as the opener is to go on behind them
     * @param checksum CRC-32C of them
     * @param states   what services knew of the way from the opener there; where that is the beginning, those of the way to it that know something
     */
    record Welcome(long received, int checksum, List<State> states) implements SessionMessage {
        public Welcome(long received, int checksum) {
            this(received, checksum, List.of());
        }

        @Override
        public Welcome with(List<State> others) {
            return new Welcome(received, checksum, List.copyOf(others));
        }
    }

    /**
     * Says how far its sender is. In order with the octets.
     *
     * @param offset   octets sent before it
     * @param checksum CRC-32C of them
     * @param last     whether the direction ends here
     * @param kept     octets of the other direction that are where they shall be
     * @param keptLast whether that is all of it, its end included
     * @param done     whether both ends have everything, and its sender knows: its last word
     * @param over     why the session is over before its time; null where it goes on
     * @param states   what services know here
     */
    record Mark(long offset, int checksum, boolean last, long kept, boolean keptLast, boolean done, ErrorCode over, List<State> states) implements SessionMessage {
        public Mark(long offset, int checksum, boolean last, long kept, boolean keptLast, ErrorCode over) {
            this(offset, checksum, last, kept, keptLast, false, over, List.of());
        }

        @Override
        public Mark with(List<State> others) {
            return new Mark(offset, checksum, last, kept, keptLast, done, over, List.copyOf(others));
        }
    }

    /** Of which services states are, in words. */
    static String of(List<State> states) {
        return states.stream().map(State::of).collect(Collectors.joining(", "));
    }
}
