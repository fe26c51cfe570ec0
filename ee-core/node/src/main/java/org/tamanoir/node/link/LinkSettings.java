package org.tamanoir.node.link;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.Objects;
import org.tamanoir.service.rule.Prefix;

/**
 * What is next to a node. Only neighbours and members are heard by services that speak on links.
 *
 * @param neighbours ANEP addresses of other nodes
 * @param members    where the hosts are that may take part in groups and sessions through this node
 * @param groups     the interface by which leaves what is sent to groups; null for none
 * @param heard      the interface where groups are joined; null for none
 * @param ttl        hops that a datagram to a group may go, 1 to 255
 */
public record LinkSettings(List<InetSocketAddress> neighbours, List<Prefix> members, NetworkInterface groups, NetworkInterface heard, int ttl) {
    /** This machine: the members of a node that listens on a loopback address, unless it is told others. */
    public static final List<Prefix> LOOPBACK = List.of(Prefix.parse("127.0.0.0/8"), Prefix.parse("::1/128"));
    /** Alone. */
    public static final LinkSettings NONE = new LinkSettings(List.of(), LOOPBACK, null, 1);

    /** Groups are heard where they are sent to. */
    public LinkSettings(List<InetSocketAddress> neighbours, List<Prefix> members, NetworkInterface groups, int ttl) {
        this(neighbours, members, groups, groups, ttl);
    }

    /** Whether the operator has listed an address, as a member's or a neighbour's; whoever is not listed is not answered at all. */
    boolean isListed(InetAddress address) {
        for (Prefix prefix : members) {
            if (prefix.contains(address)) {
                return true;
            }
        }
        for (InetSocketAddress neighbour : neighbours) {
            if (address.equals(neighbour.getAddress())) {
                return true;
            }
        }
        return false;
    }

    /** Whether groups are heard where they are in other settings: an interface that was taken away and made again is another one. */
    boolean hearsGroupsAsIn(LinkSettings other) {
        return Objects.equals(heard, other.heard) && (heard == null || heard.getIndex() == other.heard.getIndex());
    }

    /** Whether what is heard of a group can be sent to it again without coming back. */
    boolean relaysGroups() {
        return groups != null && heard != null && groups.getIndex() != heard.getIndex();
    }
}
