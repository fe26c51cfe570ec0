package org.tamanoir.dyram.hop;

import java.net.InetSocketAddress;
import java.util.List;
import org.tamanoir.dyram.hop.HopCounters.Count;
import org.tamanoir.dyram.wire.Held;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Have;
import org.tamanoir.dyram.wire.Message.Report;
import org.tamanoir.dyram.wire.Outlet;
import org.tamanoir.dyram.wire.PacketRanges;
import org.tamanoir.dyram.wire.SessionTerms;

/**
 * One session at one place where its packets branch: the source, or a node. Packets come from above and go to all links; losses come from
 * the links, are gathered, and are repaired by a link that has the packet, or from above.
 *
 * <p>The four services of DyRAM (Maimour and Pham, ISCC 2002; the active grid paper, section 4.2.1) are here: early loss detection,
 * suppression of duplicate NACKs, subcast of repairs, election of a replier for each packet. Ours are: election at every level, the repair
 * timer with re-election, and the pause after a repair in which requests that crossed it are ignored.
 */
public final class Hop {
    private static final int RECENT = 8_192;

    private final HopSettings settings;
    private final long session;
    private final SessionTerms terms;
    private final Upstream above;
    private final Outlet outlet;
    private final HopCounters counters;
    private final LinkTable links;
    private final MemberReports members;
    private final Fanout fanout;
    private final LossRecovery recovery;
    private final HeldPackets held;
    private final RecentRepairs recent = new RecentRepairs(RECENT);

    /** @param group where packets for links go that hear it; null to send to each link alone */
    public Hop(HopSettings settings, long session, SessionTerms terms, InetSocketAddress group, Upstream above, Outlet outlet,
               HopCounters counters) {
        this.settings = settings;
        this.session = session;
        this.terms = terms;
        this.above = above;
        this.outlet = outlet;
        this.counters = counters;
        this.links = new LinkTable(settings.mostLinks());
        this.members = new MemberReports(links);
        this.fanout = new Fanout(links, group, outlet);
        this.held = new HeldPackets(links);
        this.recovery = new LossRecovery(settings, session, terms, links, held, fanout, above, outlet, counters);
    }

    // Links.

    /**
     * A member was accepted by way of a link.
     *
     * @param cookie for a link that is new
     * @return the link; null if there is no room for another
     */
    public Link accept(long now, InetSocketAddress address, long cookie, boolean node, boolean hearsGroup, int member) {
        Link link = links.find(address);
        if (link == null) {
            link = links.add(address, cookie, node, hearsGroup && fanout.hasGroup(), now);
            if (link == null) {
                counters.refused();
                return null;
            }
        } else if (link.hearsGroup != (hearsGroup && fanout.hasGroup())) {
            link.hearsGroup = hearsGroup && fanout.hasGroup();
            links.inGroup.set(link.slot, link.hearsGroup);
        }
        link.lastHeard = now;
        held.forget(link);
        members.joined(now, link, member);
        return link;
    }

    /** The link of an address, if the cookie is its own; null otherwise, counted. */
    public Link link(long now, InetSocketAddress from, long cookie) {
        Link link = links.find(from);
        if (link == null || link.cookie != cookie) {
            counters.refused();
            return null;
        }
        link.lastHeard = now;
        return link;
    }

    public int size() {
        return links.size();
    }

    /** Addresses of all links. */
    public List<InetSocketAddress> addresses() {
        return links.all().stream().map(Link::address).toList();
    }

    /** Members below, and what is known of them. */
    public MemberReports members() {
        return members;
    }

    /** A link's report: what it has in order it does not miss any more, however it came there. */
    public void report(Link link, Report report) {
        members.report(link, report);
        recovery.ordered(link, terms.index(report.ordered()));
    }

    /** A member leaves, or is taken out; a link without members is gone. */
    public void left(Link link, int member) {
        members.left(link, member);
        if (link.members.isEmpty()) {
            remove(link);
        }
    }

    /** The same, by number. */
    public void expel(int member) {
        Link link = links.of(member);
        if (link != null) {
            left(link, member);
        }
    }

    /** Gives up the links that were silent for too long. */
    public void sweep(long now) {
        for (Link link : List.copyOf(links.all())) {
            if (now - link.lastHeard > settings.linkTimeout().toNanos()) {
                counters.increment(Count.LINKS_LOST);
                members.lost(link);
                remove(link);
            } else {
                members.sweep(now, link, settings.linkTimeout().toNanos());
            }
        }
    }

    private void remove(Link link) {
        held.forget(link);
        links.remove(link);
        recovery.removed(link);
    }

    // Packets that links hold without having been sent them.

    /** A link says what it holds. @return whether that can be */
    public boolean have(Link link, Have have) {
        PacketRanges ranges = have.held().in(terms);
        if (ranges == null) {
            counters.refused();
            return false;
        }
        held.say(link, ranges, have.looking(), recovery.next());
        return true;
    }

    /** What all links hold of what is still to be sent, for above; null as long as one of them has not said what it holds. */
    public List<Have> haves(long cookie) {
        if (held.isSilent()) {
            return null;
        }
        PacketRanges all = held.byAll().from(recovery.next()).some(0, HeldPackets.MOST_OF_A_LINK);
        return Held.of(terms, all).stream().map(part -> new Have(session, cookie, held.isLooking(), part)).toList();
    }

    /** Whether all links hold a packet. */
    public boolean isHeldByAll(long index) {
        return held.isHeldByAll(index);
    }

    /** Whether some link has not said what it holds. */
    public boolean isSilent() {
        return held.isSilent();
    }

    /** Whether some link may find more that it holds. */
    public boolean isLooking() {
        return held.isLooking();
    }

    // Packets, and who misses them.

    /** All packets before this one have been sent by the source; what was not seen of them here is lost. */
    public void sent(long now, long nextIndex) {
        recovery.sent(now, nextIndex);
    }

    /**
     * A packet from above.
     *
     * @return copies of it that were sent
     */
    public int data(long now, Data data) {
        return recovery.data(now, data);
    }

    /** What lies above has asked for these packets already, and they come within the time: nobody here has to ask. */
    public void heard(long now, Losses asked, long within) {
        recovery.heard(now, asked, within);
    }

    /** What lies above asks for these packets: some host below may have them. */
    public void requested(long now, Losses wanted) {
        recovery.requested(now, wanted);
    }

    /** A link misses packets. */
    public void nack(long now, Link link, Losses missing) {
        recovery.nack(now, link, missing);
    }

    /** A link has repaired a packet, or says so. */
    public void repairFrom(long now, Link link, Data data) {
        if (recovery.repairFrom(now, link, data)) {
            recent.add(terms.index(data.sequence()), data.replier());
        }
    }

    /** A member's repair was wrong; see {@link Upstream#wrong}. @param link that says so; null if it comes from above */
    public void wrong(Link link, long index, int member) {
        Link blamed = links.of(member);
        // Where the repair has turned it is known; what passed a node below on both ways was looked at there.
        boolean believed = blamed == null ? link != null : recent.has(index, member) || blamed.node && blamed == link;
        if (!believed) {
            counters.refused();
            return;
        }
        if (blamed != null && !blamed.node && !blamed.excluded) {
            blamed.excluded = true;
            counters.increment(Count.BLAMED);
        }
        if (blamed != null && blamed.node && blamed != link) {
            outlet.send(new Message.Wrong(session, blamed.cookie, terms.sequence(index), member), blamed.address);
        }
        if (link != null) {
            above.wrong(index, member);
        }
    }

    /** Hands a message of the source on to every link. */
    public void toAll(Message message) {
        fanout.toAll(message);
    }

    // Time.

    /** When {@link #onTimer} has something to do; {@link Long#MAX_VALUE}: never. */
    public long deadline() {
        return recovery.deadline();
    }

    public void onTimer(long now) {
        recovery.onTimer(now);
    }

    /** No more messages for the moment: what was gathered for the links leaves. */
    public void flush() {
        recovery.flush();
    }

    /** Time in which what some link has comes here, or to another link, in nanoseconds. */
    public long local() {
        return recovery.local();
    }

    /** What links are told of the time in which a neighbour repairs, in nanoseconds; see {@link LossRecovery#fromNeighbours}. */
    public long fromNeighbours() {
        return recovery.fromNeighbours();
    }

    /** Missing packets that are remembered. */
    public int losses() {
        return recovery.losses();
    }
}
