package org.tamanoir.dyram.hop;

import org.tamanoir.dyram.hop.HopSettings.Election;
import org.tamanoir.dyram.wire.SessionTerms;

/** Which link is asked to repair a packet, and what its round trips and answers say about waiting. */
final class Repliers {
    private static final long MOST_DELAY = 250_000_000;
    private static final int AGAIN = 1_000_000;

    private final HopSettings settings;
    private final SessionTerms terms;
    private final LinkTable links;
    private int cursor;

    Repliers(HopSettings settings, SessionTerms terms, LinkTable links) {
        this.settings = settings;
        this.terms = terms;
        this.links = links;
    }

    /**
     * A link that may have the packet, each in its turn; one that has said so is taken first, one that owes repairs last. One that was
     * asked in vain is asked again only if it has been heard of since (the request or the repair was lost, not the replier), and if no
     * other is left.
     *
     * @return null if there is none
     */
    Link elect(MissingPacket loss) {
        if (settings.elect() == Election.NONE) {
            return null;
        }
        Link best = null;
        int bestWorth = Integer.MIN_VALUE;
        int slots = links.active.length();
        for (int i = 0; i < slots; i++) {
            int slot = (cursor + i) % slots;
            Link link = links.active.get(slot) && !loss.lacking.get(slot) ? links.at(slot) : null;
            if (link == null || link.excluded || link.node && settings.elect() == Election.HOSTS) {
                continue;
            }
            boolean again = loss.asked.get(slot);
            if (again && link.lastHeard - loss.askedAt <= 0) {
                continue;
            }
            boolean has = link.held.contains(loss.index) || link.report() != null && terms.index(link.report().ordered()) > loss.index;
            int worth = (has ? 1 : 0) - link.failures - (again ? AGAIN : 0);
            if (worth > bestWorth) {
                best = link;
                bestWorth = worth;
            }
        }
        if (best != null) {
            cursor = best.slot + 1;
        }
        return best;
    }

    /** The delay to decide: the spread of the links' round-trip times, and what they gather. In nanoseconds. */
    long delayToDecide() {
        long least = Long.MAX_VALUE;
        long most = 0;
        for (Link link : links.all()) {
            least = Math.min(least, link.rtt());
            most = Math.max(most, link.rtt());
        }
        return Math.min(MOST_DELAY, most - Math.min(least, most) + settings.leastDelay().toNanos());
    }

    /** Nanoseconds after which the answer of a link is overdue. */
    static long patience(Link link) {
        return Math.max(link.rtt() + link.rtt() / 2 + link.local(), link.response.bound());
    }

    /** The longest way to a link and of what is beneath it, in nanoseconds. */
    long farthest() {
        long most = 0;
        for (Link link : links.all()) {
            most = Math.max(most, link.rtt() + link.local());
        }
        return most;
    }
}
