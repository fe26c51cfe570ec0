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

    /** @return copies that were sent */
    int toAll(Data data) {
        return toSome(data, links.active);
    }

    /** The same to the links in these slots: by the group if all that hear it are among them. */
    int toSome(Data data, BitSet slots) {
        boolean byGroup = false;
        if (group != null && !links.inGroup.isEmpty()) {
            BitSet rest = (BitSet) links.inGroup.clone();
            rest.andNot(slots);
            byGroup = rest.isEmpty();
        }
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
