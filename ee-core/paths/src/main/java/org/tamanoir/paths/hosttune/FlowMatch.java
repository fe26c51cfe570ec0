package org.tamanoir.paths.hosttune;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Prefix;

/**
 * Which flows a rule is for.
 *
 * @param everything  whether it is for flows of any addresses, and says so
 * @param remote      where the other end lies; empty for anywhere
 * @param local       which address of this host; empty for any
 * @param remotePorts of the other end; not empty
 * @param localPorts  of this end; not empty
 */
public record FlowMatch(boolean everything, List<Prefix> remote, List<Prefix> local, List<PortSpan> remotePorts, List<PortSpan> localPorts) {
    /** {@code ::ffff:0:0/96}, RFC 4291 section 2.5.5.2, has so many bits in front, all 0 but the last 16. */
    private static final int MAPPED_BITS = 96;
    private static final int MAPPED_ZEROS = 80;

    /** @throws AnepException EE-501 if it is for everything without saying so, or says so and names addresses */
    public FlowMatch {
        remote = List.copyOf(remote);
        local = List.copyOf(local);
        remotePorts = remotePorts.isEmpty() ? List.of(PortSpan.ALL) : List.copyOf(remotePorts);
        localPorts = localPorts.isEmpty() ? List.of(PortSpan.ALL) : List.copyOf(localPorts);
        boolean names = !remote.isEmpty() || !local.isEmpty();
        if (everything && names) {
            throw bad("it says 'everything: true' and names addresses; leave one of them out");
        }
        if (!everything && !names) {
            throw bad("it is for flows to and from everywhere; name 'remote' or 'local', or write 'everything: true' if that is meant");
        }
        remote.forEach(FlowMatch::check);
        local.forEach(FlowMatch::check);
        List<Prefix> own = local;
        if (!remote.isEmpty() && !own.isEmpty() && remote.stream().noneMatch(far -> own.stream().anyMatch(near -> octets(near) == octets(far)))) {
            throw bad("no flow has one end in " + remote + " and the other in " + own + ": these are of IPv4, those of IPv6");
        }
    }

    private static int octets(Prefix prefix) {
        return prefix.network().getAddress().length;
    }

    private static void check(Prefix prefix) {
        if (prefix.length() == 0) {
            throw bad(prefix + " is every address; write 'everything: true' instead if that is meant");
        }
        byte[] octets = prefix.network().getAddress();
        boolean zeros = true;
        for (int bit = 0; bit < Math.min(prefix.length(), MAPPED_ZEROS); bit++) {
            zeros &= (octets[bit >> 3] & 0x80 >> (bit & 7)) == 0;
        }
        if (octets.length * 8 > MAPPED_BITS && prefix.length() < MAPPED_BITS && zeros) {
            throw bad(prefix + " has the addresses of IPv4 in it, as sockets of IPv6 write them; name prefixes of IPv4 and of IPv6");
        }
    }

    /** Whether a flow is one of these. */
    public boolean matches(InetSocketAddress localEnd, InetSocketAddress remoteEnd) {
        return contains(remote, remoteEnd.getAddress()) && contains(local, localEnd.getAddress()) && remotePorts.stream().anyMatch(each -> each.contains(remoteEnd.getPort()))
                && localPorts.stream().anyMatch(each -> each.contains(localEnd.getPort()));
    }

    /** Whether every flow of another match is one of these, as far as can be seen prefix by prefix. */
    boolean covers(FlowMatch other) {
        return coversAll(remote, other.remote) && coversAll(local, other.local) && coversPorts(remotePorts, other.remotePorts) && coversPorts(localPorts, other.localPorts);
    }

    private static boolean contains(List<Prefix> prefixes, InetAddress address) {
        return prefixes.isEmpty() || prefixes.stream().anyMatch(each -> each.contains(address));
    }

    private static boolean coversAll(List<Prefix> some, List<Prefix> others) {
        return some.isEmpty() || !others.isEmpty() && others.stream().allMatch(other -> some.stream().anyMatch(each -> each.covers(other)));
    }

    private static boolean coversPorts(List<PortSpan> some, List<PortSpan> others) {
        return others.stream().allMatch(other -> some.stream().anyMatch(each -> each.covers(other)));
    }

    private static AnepException bad(String what) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, what);
    }
}
