package org.tamanoir.dyram.source;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.tamanoir.dyram.wire.ServiceChoice;

/**
 * What a source is told.
 *
 * @param session    a random number that is not 0
 * @param group      under which receivers look for it, and where packets go that travel by IP multicast
 * @param via        its node; null to multicast to the group itself
 * @param secret     what it shares with the receivers; may be empty
 * @param first      sequence number of the first packet
 * @param packetSize octets of content in a packet
 * @param members    names of the receivers that it expects; empty if it only counts them
 * @param expect     how many receivers it expects; their names if {@code members} has any
 * @param late       who comes after the first packet
 * @param rate       how fast it sends
 * @param gathering     how long it waits for all of them before it begins with those that are there
 * @param patience   how long it waits at the end for receivers that were lost
 * @param services   what nodes are to do for the session, as far as their operators allow
 */
public record SourceSettings(long session, InetSocketAddress group, InetSocketAddress via, byte[] secret, long first, int packetSize,
                             List<String> members, int expect, Late late, Rate rate, Duration gathering, Duration patience,
                             ServiceChoice services) {
    public static final Duration GATHERING = Duration.ofSeconds(60);
    public static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Who comes late. */
    public enum Late {
        /** Is refused with EE-704. */
        REFUSE,
        /** Gets everything from the first packet on. */
        SERVE
    }

    /**
     * Bits a second on the wire, headers of IP and UDP included.
     *
     * @param most  what it sends at; where it begins and returns to if {@code adapt}
     * @param least a receiver that gets less for long is taken out; 0 for nobody
     * @param adapt whether it follows the slowest receiver between the two
     */
    public record Rate(long most, long least, boolean adapt) {
        public static Rate fixed(long bits) {
            return new Rate(bits, 0, false);
        }
    }

    public SourceSettings {
        members = List.copyOf(members);
    }

    /** Settings of a session that asks for every service. */
    public SourceSettings(long session, InetSocketAddress group, InetSocketAddress via, byte[] secret, long first, int packetSize, List<String> members,
                          int expect, Late late, Rate rate, Duration gathering, Duration patience) {
        this(session, group, via, secret, first, packetSize, members, expect, late, rate, gathering, patience, ServiceChoice.ALL);
    }

    public SourceSettings services(ServiceChoice choice) {
        return new SourceSettings(session, group, via, secret, first, packetSize, members, expect, late, rate, gathering, patience, choice);
    }
}
