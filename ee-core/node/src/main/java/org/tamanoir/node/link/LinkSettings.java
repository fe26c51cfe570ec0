package org.tamanoir.node.link;

import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.Objects;

/**
 * What is next to a node.
 *
 * @param neighbours ANEP addresses of other nodes
 * @param groups     the interface by which leaves what is sent to groups; null for none
 * @param heard      the interface where groups are joined; null for none
 * @param ttl        hops that a datagram to a group may go, 1 to 255
 */
public record LinkSettings(List<InetSocketAddress> neighbours, NetworkInterface groups, NetworkInterface heard, int ttl) {
    /** Alone. */
    public static final LinkSettings NONE = new LinkSettings(List.of(), null, 1);

    /** Groups are heard where they are sent to. */
    public LinkSettings(List<InetSocketAddress> neighbours, NetworkInterface groups, int ttl) {
        this(neighbours, groups, groups, ttl);
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
