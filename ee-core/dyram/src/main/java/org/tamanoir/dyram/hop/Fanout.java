package org.tamanoir.dyram.hop;

import java.net.InetSocketAddress;
import java.util.BitSet;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Outlet;

/** One packet to many links: by the session's group where that reaches nobody else, to each link alone otherwise. */
final class Fanout {
    private final LinkTable links;
    private final InetSocketAddress group;
    private final Outlet outlet;

    /** @param group null if packets cannot leave by a group */
    Fanout(LinkTable links, InetSocketAddress group, Outlet outlet) {
        this.links = links;
        this.group = group;
        this.outlet = outlet;
    }

    /** Whether links can be reached by the group. */
    boolean hasGroup() {
        return group != null;
    }

    /**
     * The packet itself: by the group if several that hear it are among them.
     *
     * @param slots links that lack it; what comes to others by the group does no harm
     * @return copies that were sent
     */
    int toAll(Data data, BitSet slots) {
        return send(data, slots, group != null && links.inGroup.intersects(slots) && (isWholeGroup(slots) || heardBy(slots) > 1));
    }

    /** The same to the links in these slots alone: by the group if all that hear it are among them. */
    int toSome(Data data, BitSet slots) {
        return send(data, slots, group != null && !links.inGroup.isEmpty() && isWholeGroup(slots));
    }

    private boolean isWholeGroup(BitSet slots) {
        BitSet rest = (BitSet) links.inGroup.clone();
        rest.andNot(slots);
        return rest.isEmpty();
    }

    private int heardBy(BitSet slots) {
        BitSet both = (BitSet) links.inGroup.clone();
        both.and(slots);
        return both.cardinality();
    }

    private int send(Data data, BitSet slots, boolean byGroup) {
        int copies = 0;
        if (byGroup) {
            outlet.send(data, group);
            copies++;
        }
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            if (!byGroup || !links.inGroup.get(slot)) {
                outlet.send(data, links.at(slot).address);
                copies++;
            }
        }
        return copies;
    }

    /** Hands a message of the source on to every link. */
    void toAll(Message message) {
        if (group != null && !links.inGroup.isEmpty()) {
            outlet.send(message, group);
        }
        for (Link link : links.all()) {
            if (!link.hearsGroup) {
                outlet.send(message, link.address);
            }
        }
    }
}
