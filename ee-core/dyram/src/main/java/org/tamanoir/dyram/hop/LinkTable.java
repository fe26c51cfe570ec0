package org.tamanoir.dyram.hop;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.dyram.address.HostTable;

/** The links of one session at one place, each with a slot for the sets of bits that losses keep. */
final class LinkTable {
    /** Links of one host, each with a port of its own. */
    private static final int MOST_OF_HOST = 256;

    private final int most;
    private final Map<Object, Integer> ofHost = new HashMap<>();
    private final Map<InetSocketAddress, Link> byAddress = new HashMap<>();
    private final List<Link> slots = new ArrayList<>();
    /** Slots that are used. */
    final BitSet active = new BitSet();
    /** Of these, the ones that packets reach by the group. */
    final BitSet inGroup = new BitSet();

    LinkTable(int most) {
        this.most = most;
    }

    Link find(InetSocketAddress address) {
        return byAddress.get(address);
    }

    /** @return null if there is no room, or if its host has enough links */
    Link add(InetSocketAddress address, long cookie, boolean node, boolean hearsGroup, long now) {
        Object host = HostTable.host(address.getAddress());
        if (byAddress.size() >= most || ofHost.getOrDefault(host, 0) >= MOST_OF_HOST) {
            return null;
        }
        ofHost.merge(host, 1, Integer::sum);
        int slot = active.nextClearBit(0);
        Link link = new Link(slot, address, cookie, node, hearsGroup, now);
        while (slots.size() <= slot) {
            slots.add(null);
        }
        slots.set(slot, link);
        active.set(slot);
        inGroup.set(slot, hearsGroup);
        byAddress.put(address, link);
        return link;
    }

    void remove(Link link) {
        ofHost.computeIfPresent(HostTable.host(link.address.getAddress()), (host, count) -> count == 1 ? null : count - 1);
        byAddress.remove(link.address);
        slots.set(link.slot, null);
        active.clear(link.slot);
        inGroup.clear(link.slot);
    }

    Link at(int slot) {
        return slots.get(slot);
    }

    Collection<Link> all() {
        return byAddress.values();
    }

    int size() {
        return byAddress.size();
    }

    /** The link that a member is under; null if it is under none. */
    Link of(int member) {
        for (Link link : byAddress.values()) {
            if (link.members.containsKey(member)) {
                return link;
            }
        }
        return null;
    }
}
