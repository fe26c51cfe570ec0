package org.tamanoir.node.offload;

import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.tamanoir.node.offload.PacketFacts.Addresses;
import org.tamanoir.service.rule.Match;
import org.tamanoir.service.rule.Prefix;

/**
 * The rules that ask for the same fields with the same prefix lengths: one look-up finds the one of a packet, however many there are
 * (tuple space search; Srinivasan, Suri and Varghese, 1999).
 */
final class RuleShape {
    /** Which fields count, and how many bits of the addresses. */
    record Fields(boolean type, boolean session, int destinationBits, int sourceBits, boolean passing) {
        static Fields of(Match match) {
            return new Fields(match.typeId() != null, match.session() != null, bits(match.destination()), bits(match.source()),
                    match.passing());
        }

        private static int bits(Prefix prefix) {
            return prefix == null ? 0 : Addresses.bits(prefix.network(), prefix.length());
        }
    }

    private record Key(int typeId, long session, long destinationHigh, long destinationLow, long sourceHigh, long sourceLow) {
    }

    private final Fields fields;
    private final long destinationHigh;
    private final long destinationLow;
    private final long sourceHigh;
    private final long sourceLow;
    /** Rules with the same match, the one that is run first. */
    private final ConcurrentMap<Key, LiveRule[]> rules = new ConcurrentHashMap<>();

    RuleShape(Fields fields) {
        this.fields = fields;
        destinationHigh = Addresses.highMask(fields.destinationBits);
        destinationLow = Addresses.lowMask(fields.destinationBits);
        sourceHigh = Addresses.highMask(fields.sourceBits);
        sourceLow = Addresses.lowMask(fields.sourceBits);
    }

    Fields fields() {
        return fields;
    }

    boolean isEmpty() {
        return rules.isEmpty();
    }

    /** The rule for a packet that is sent to this node, or null. */
    LiveRule find(PacketFacts packet) {
        if (fields.passing || fields.destinationBits > 0 && !packet.hasDestination || fields.session && packet.session == 0) {
            return null;
        }
        LiveRule[] found = rules.get(new Key(fields.type ? packet.typeId : 0, fields.session ? packet.session : 0,
                packet.destinationHigh & destinationHigh, packet.destinationLow & destinationLow, packet.sourceHigh & sourceHigh,
                packet.sourceLow & sourceLow));
        return found == null ? null : found[0];
    }

    /** The rules of a match, the one that is run first; empty if there is none. */
    LiveRule[] get(Match match) {
        return rules.getOrDefault(key(match), LiveRule.NONE);
    }

    /** Sets the rules of a match. */
    void set(Match match, LiveRule[] sorted) {
        if (sorted.length == 0) {
            rules.remove(key(match));
        } else {
            rules.put(key(match), sorted);
        }
    }

    /** All its rules: for each match those that ask for it. */
    Collection<LiveRule[]> all() {
        return rules.values();
    }

    private static Key key(Match match) {
        byte[] any = new byte[16];
        byte[] destination = match.destination() == null ? any : match.destination().network().getAddress();
        byte[] source = match.source() == null ? any : match.source().network().getAddress();
        return new Key(match.typeId() == null ? 0 : match.typeId(), match.session() == null ? 0 : match.session(),
                Addresses.high(destination), Addresses.low(destination), Addresses.high(source), Addresses.low(source));
    }
}
