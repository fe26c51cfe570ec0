package org.tamanoir.dyram.hop;

import java.util.BitSet;
import org.tamanoir.dyram.wire.PacketRanges;

/**
 * What the links of one session hold by their own word, without having been sent it: nobody need send it to them. One that says what is not
 * so asks for it later, as for any other loss.
 */
final class HeldPackets {
    /** Ranges that are remembered of a link: those that are sent next. */
    static final int MOST_OF_A_LINK = 256;
    /** Ranges of all links of a session: one megabyte. */
    static final int MOST = 65_536;

    private final LinkTable links;
    private int ranges;
    private int holders;

    HeldPackets(LinkTable links) {
        this.links = links;
    }

    /** A link says what it holds. @param next the packet that is sent next; what lies before is of no use any more */
    void say(Link link, PacketRanges more, boolean looking, long next) {
        PacketRanges all = link.held.or(more);
        if (all.size() > MOST_OF_A_LINK) {
            all = all.from(next);
        }
        set(link, all.some(0, Math.min(MOST_OF_A_LINK, MOST - ranges + link.held.size())));
        link.saidHeld = true;
        link.looking = looking;
    }

    /** It is not known any more what a link holds: another receiver has come beneath it, or it is gone. */
    void forget(Link link) {
        set(link, PacketRanges.NONE);
        link.saidHeld = false;
        link.looking = false;
    }

    private void set(Link link, PacketRanges held) {
        ranges += held.size() - link.held.size();
        holders += (held.isEmpty() ? 0 : 1) - (link.held.isEmpty() ? 0 : 1);
        link.held = held;
    }

    /** Whether every link holds a packet. */
    boolean isHeldByAll(long index) {
        return holders > 0 && holders == links.size() && links.all().stream().allMatch(link -> link.held.contains(index));
    }

    /** The links that do not hold a packet; not to be changed. */
    BitSet lacking(long index) {
        if (holders == 0) {
            return links.active;
        }
        BitSet lacking = (BitSet) links.active.clone();
        for (Link link : links.all()) {
            lacking.set(link.slot, !link.held.contains(index));
        }
        return lacking;
    }

    /** What every link holds. */
    PacketRanges byAll() {
        if (holders == 0 || holders < links.size()) {
            return PacketRanges.NONE;
        }
        PacketRanges all = null;
        for (Link link : links.all()) {
            all = all == null ? link.held : all.and(link.held);
        }
        return all;
    }

    /** Whether some link has not said what it holds. */
    boolean isSilent() {
        return links.all().stream().anyMatch(link -> !link.saidHeld);
    }

    /** Whether some link may find more. */
    boolean isLooking() {
        return links.all().stream().anyMatch(link -> link.looking);
    }
}
