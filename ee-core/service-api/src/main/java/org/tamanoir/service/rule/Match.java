package org.tamanoir.service.rule;

import java.net.Inet6Address;

/**
 * Which packets a rule is for. What is null matches everything. A packet without a destination or QoS session in its options does not
 * match a rule that asks for one.
 *
 * @param typeId      the Type ID in the header, 0 to 65,535
 * @param destination prefix of the destination in the ANEP options
 * @param source      prefix of the address that the packet came from: its IP source
 * @param session     the code in the QoS session option; not 0
 * @param passing     false: packets sent to this node. True: packets that its host forwards as a router, addressed to others; only the
 *                    kernel sees those, and only counting and dropping is possible
 */
public record Match(Integer typeId, Prefix destination, Prefix source, Long session, boolean passing) {
    /** ::ffff:0:0/96 (RFC 4291 section 2.5.5.2): 80 zeros, 16 ones. */
    private static final int MAPPED_BITS = 96;
    private static final int MAPPED_ONES = 80;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException with a sentence that names the field
     */
    public Match {
        if (typeId != null && (typeId < 0 || typeId > 0xFFFF)) {
            throw new IllegalArgumentException("the Type ID " + typeId + " is not from 0 to 0xffff");
        }
        if (session != null && session == 0) {
            throw new IllegalArgumentException("0 is no QoS session");
        }
        checkPrefix(destination);
        checkPrefix(source);
    }

    /** Engines compare IPv4 addresses as mapped IPv6 addresses: an IPv6 prefix that holds those would be both. */
    private static void checkPrefix(Prefix prefix) {
        if (prefix != null && prefix.network() instanceof Inet6Address && prefix.length() <= MAPPED_BITS) {
            byte[] network = prefix.network().getAddress();
            boolean within = true;
            for (int bit = 0; bit < prefix.length(); bit++) {
                within &= (network[bit >> 3] >> (7 - (bit & 7)) & 1) == (bit < MAPPED_ONES ? 0 : 1);
            }
            if (within) {
                throw new IllegalArgumentException("the prefix " + prefix + " holds the IPv4 addresses that are mapped into IPv6; 2000::/3 holds "
                        + "every public IPv6 address");
            }
        }
    }

    /** Every packet that is sent to this node. */
    public static Match all() {
        return new Match(null, null, null, null, false);
    }

    /** Packets of one Type ID that are sent to this node. */
    public static Match type(int typeId) {
        return all().withType(typeId);
    }

    /** As this one, for one Type ID. */
    public Match withType(int type) {
        return new Match(type, destination, source, session, passing);
    }

    /** As this one, for one QoS session. */
    public Match withSession(long code) {
        return new Match(typeId, destination, source, code, passing);
    }

    /** As this one, for destinations in a prefix. */
    public Match to(Prefix prefix) {
        return new Match(typeId, prefix, source, session, passing);
    }

    /** As this one, for packets from a prefix. */
    public Match from(Prefix prefix) {
        return new Match(typeId, destination, prefix, session, passing);
    }

    /** As this one, for packets that the host forwards as a router. */
    public Match inPassing() {
        return new Match(typeId, destination, source, session, true);
    }
}
