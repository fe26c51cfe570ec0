package org.tamanoir.node.link;

import java.util.List;
import org.tamanoir.node.service.RunningService;

/** A Type ID whose service speaks on links: the version that is current, and a slot on every loop. For any thread. */
final class LinkType {
    private final List<LinkSlot> slots;
    private volatile RunningService current;

    LinkType(List<LinkLoop> loops) {
        slots = loops.stream().map(loop -> new LinkSlot(this, loop)).toList();
    }

    /** The version whose handlers get the datagrams; null for none. */
    RunningService current() {
        return current;
    }

    /** Another version from now on, or null: the handlers of the one before are closed, each on its loop. */
    void current(RunningService now) {
        current = now;
        slots.forEach(LinkSlot::wake);
    }

    List<LinkSlot> slots() {
        return slots;
    }
}
