package org.tamanoir.service.probe;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * Probes that are sent one after the other.
 *
 * @param to       the reflector
 * @param dscp     the code point of the probes, 0 to 63; the reflector is asked to answer in it too (RFC 8972 section 4.4)
 * @param packets  1 to {@value #MOST_PACKETS}
 * @param octets   of each IPv4 packet, {@value #LEAST_OCTETS} to {@value #MOST_OCTETS}; 20 more over IPv6. Answers have the same size
 * @param gap      from one to the next; zero for one right behind the other
 * @param patience how long after the last one answers are waited for, up to 10 s
 */
public record Train(InetSocketAddress to, int dscp, int packets, int octets, Duration gap, Duration patience) {
    public static final int MOST_PACKETS = 256;
    /** IPv4 and UDP headers (28), the 44 octets of RFC 8762 section 4.2.1, and the class of service TLV of RFC 8972 section 4.4 (8). */
    public static final int LEAST_OCTETS = 80;
    public static final int MOST_OCTETS = 1500;
    private static final Duration MOST_PATIENCE = Duration.ofSeconds(10);

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException that names the part
     */
    public Train {
        check(to != null && !to.isUnresolved() && to.getPort() != 0, "the reflector " + to + " is no address and port");
        check(dscp >= 0 && dscp <= 63, "the code point " + dscp + " is not from 0 to 63");
        check(packets >= 1 && packets <= MOST_PACKETS, packets + " packets; a train has 1 to " + MOST_PACKETS);
        check(octets >= LEAST_OCTETS && octets <= MOST_OCTETS, octets + " octets a packet; it must be " + LEAST_OCTETS + " to " + MOST_OCTETS);
        check(!gap.isNegative() && gap.compareTo(MOST_PATIENCE) <= 0, "a gap of " + gap);
        check(!patience.isNegative() && patience.compareTo(MOST_PATIENCE) <= 0, "a patience of " + patience);
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
