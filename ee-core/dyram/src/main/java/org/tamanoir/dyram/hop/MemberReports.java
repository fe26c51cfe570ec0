package org.tamanoir.dyram.hop;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tamanoir.anep.BoundedMap;
import org.tamanoir.dyram.wire.MemberState;
import org.tamanoir.dyram.wire.MemberState.Phase;
import org.tamanoir.dyram.wire.Message.Report;
import org.tamanoir.dyram.wire.SessionTerms;

/** What is known of the receivers below a place, and one report made of the reports of all links. */
public final class MemberReports {
    /** Receivers that one session may have: their numbers have 16 bits. */
    public static final int MOST = 65_535;
    private static final int MOST_GONE = 4_096;

    private final LinkTable links;
    /** Those whose link is gone: above has heard of them several times before the oldest are forgotten. */
    private final Map<Integer, MemberState> gone = BoundedMap.byAge(MOST_GONE);
    /** The links that were silent when they were given up, by the members that were lost with them. */
    private final Map<Integer, InetSocketAddress> silent = BoundedMap.byAge(MOST_GONE);

    MemberReports(LinkTable links) {
        this.links = links;
    }

    void joined(long now, Link link, int member) {
        gone.remove(member);
        silent.remove(member);
        // A host is one receiver: it cannot fill the table with names.
        if (!link.node && !link.members.containsKey(member)) {
            List.copyOf(link.members.keySet()).forEach(before -> left(link, before));
        }
        for (Link other : links.all()) {
            if (other != link) {
                other.members.remove(member);
                other.reported.remove(member);
            }
        }
        link.reported.put(member, now);
        link.members.putIfAbsent(member, new MemberState(member, Phase.RECEIVING, 0));
    }

    void left(Link link, int member) {
        link.reported.remove(member);
        MemberState last = link.members.remove(member);
        if (last != null) {
            gone.put(member, new MemberState(member, last.phase().isOver() ? last.phase() : Phase.LEFT, last.have()));
        }
    }

    void lost(Link link) {
        for (MemberState last : link.members.values()) {
            gone.put(last.member(), new MemberState(last.member(), last.phase().isOver() ? last.phase() : Phase.LOST, last.have()));
            silent.put(last.member(), link.address);
        }
        link.members.clear();
    }

    /** Members that a link does not report any more are lost: a node that was restarted does not know those that died meanwhile. */
    void sweep(long now, Link link, long timeout) {
        link.members.replaceAll((member, state) -> state.phase().isOver() || now - link.reported.get(member) <= timeout ? state
                : new MemberState(member, Phase.LOST, state.have()));
    }

    /** A link's report. Members that were not accepted by way of it are left out; a host speaks for itself alone. */
    public void report(Link link, Report report) {
        link.report(report);
        for (MemberState state : report.members()) {
            if (link.members.computeIfPresent(state.member(), (member, before) -> before.phase() == Phase.COMPLETE ? before : state) != null) {
                link.reported.put(state.member(), link.lastHeard);
            }
        }
    }

    /** The address of the link with which a member was lost; null if it was not, or if what is behind its link has lost it. */
    public InetSocketAddress silent(int member) {
        return silent.get(member);
    }

    /** Whether a member is below. */
    public boolean contains(int member) {
        return links.of(member) != null;
    }

    /** States of all of them, those that are gone too. */
    public List<MemberState> all() {
        List<MemberState> all = new ArrayList<>(gone.values());
        for (Link link : links.all()) {
            all.addAll(link.members.values());
        }
        return all;
    }

    /**
     * One report of all links, in as many messages as the members need.
     *
     * @param cookie of this place for the next hop up
     * @param stamp  microseconds of this place's clock
     * @param rtt    microseconds to the next hop up
     * @param local  microseconds in which something below is repaired below
     */
    public List<Report> aggregate(long session, SessionTerms terms, long cookie, int stamp, int rtt, int local) {
        long ordered = Long.MAX_VALUE;
        long highest = 0;
        int delay = 0;
        int loss = 0;
        long rate = Long.MAX_VALUE;
        int worst = 0;
        for (Link link : links.all()) {
            Report report = link.report();
            if (report == null) {
                ordered = 0;
                continue;
            }
            ordered = Math.min(ordered, terms.index(report.ordered()));
            highest = Math.max(highest, terms.index(report.highest()));
            loss = Math.max(loss, report.loss());
            rate = Math.min(rate, report.rate());
            if (worst == 0 || report.delay() > delay) {
                delay = report.delay();
                worst = report.worst();
            }
        }
        List<MemberState> states = all();
        List<Report> reports = new ArrayList<>();
        int from = 0;
        do {
            int to = Math.min(states.size(), from + Report.MOST_MEMBERS);
            reports.add(new Report(session, cookie, stamp, rtt, local, terms.sequence(ordered == Long.MAX_VALUE ? 0 : ordered),
                    terms.sequence(highest), delay, loss, rate == Long.MAX_VALUE ? 0 : rate, worst, states.subList(from, to)));
            from = to;
        } while (from < states.size());
        return reports;
    }
}
