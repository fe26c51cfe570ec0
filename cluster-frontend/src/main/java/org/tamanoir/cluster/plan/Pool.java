package org.tamanoir.cluster.plan;

import java.net.InetAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.membership.Addresses;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.membership.ReportReader;
import org.tamanoir.membership.Welcome.Method;

/**
 * Back ends of a kind, and the virtual addresses in front of them.
 *
 * @param name        as the back ends report it; {@link ReportReader#NAME}
 * @param addresses   virtual ones, at least one
 * @param port        of ANEP streams over TCP and UDP at each of them, 1 to 65535
 * @param persistence how long a source that has no connection any more keeps its back end where the affinity is {@code SOURCE}: whole seconds, 1 s to
 *                    a day (ipvsadm(8), {@code --persistent})
 * @param services    that it is for, by name; empty for all. Only what these need counts for {@link AffinitySetting#AUTO}
 */
public record Pool(String name, List<InetAddress> addresses, int port, Method method, Scheduler scheduler, AffinitySetting affinity,
                   Duration persistence, Set<String> services) {
    /** A day. */
    public static final Duration MOST_PERSISTENCE = Duration.ofDays(1);

    /** @throws AnepException EE-501 with the field */
    public Pool {
        addresses = List.copyOf(addresses);
        services = Set.copyOf(services);
        if (!ReportReader.NAME.matcher(name).matches()) {
            throw bad("pools", "cannot have one named '" + name + "': 1 to 63 of a-z, 0-9, '-' and '.', with a letter or digit at both ends");
        }
        String field = "pools." + name + ".";
        if (addresses.isEmpty() || new LinkedHashSet<>(addresses).size() != addresses.size()) {
            throw bad(field + "addresses", "must have an address, and each once");
        }
        for (InetAddress address : addresses) {
            if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
                throw bad(field + "addresses", "cannot have " + Addresses.text(address) + ": it is no machine's own");
            }
        }
        if (port < 1 || port > 65_535) {
            throw bad(field + "port", "is " + port + "; it must be 1 to 65535");
        }
        if (persistence.compareTo(Duration.ofSeconds(1)) < 0 || persistence.compareTo(MOST_PERSISTENCE) > 0 || persistence.getNano() != 0) {
            throw bad(field + "persistence", "is " + persistence.toMillis() + " ms; it must be whole seconds, 1 s to a day");
        }
    }

    /** Whether a back end at this address can be reached through one of the virtual ones: directors translate no IPv4 into IPv6. */
    public boolean serves(InetAddress backEnd) {
        return addresses.stream().anyMatch(address -> address.getClass() == backEnd.getClass());
    }

    /** Whether a back end can serve at this port: only with translation of addresses another one than the virtual. */
    public boolean takes(int backEndPort) {
        return method == Method.NAT || backEndPort == port;
    }

    static AnepException bad(String field, String what) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, field + " " + what);
    }

    /** How IPVS picks the back end of a new connection; by the names that ipvsadm has. The nft engine hashes, whatever is asked. */
    public enum Scheduler {
        /** The fewest connections for its weight. */
        WLC,
        /** In turn, by weight. */
        WRR,
        /** The shortest expected delay. */
        SED,
        /** By a hash of the source (Maglev): two directors pick the same. */
        MH
    }

    /** Which affinity a pool gives. */
    public enum AffinitySetting {
        /** {@link Affinity#NONE}, whatever its services need. */
        NONE,
        /** {@link Affinity#SOURCE}, whatever its services need. */
        SOURCE,
        /** What the neediest of its services needs. */
        AUTO
    }
}
