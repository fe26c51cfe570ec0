package org.tamanoir.dyram.node;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.random.RandomGenerator;
import org.tamanoir.dyram.address.Addresses;
import org.tamanoir.dyram.hop.Hop;
import org.tamanoir.dyram.hop.HopCounters;
import org.tamanoir.dyram.hop.HopSettings;
import org.tamanoir.dyram.hop.Link;
import org.tamanoir.dyram.hop.Upstream;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Accept;
import org.tamanoir.dyram.wire.Message.Announce;
import org.tamanoir.dyram.wire.Message.Answer;
import org.tamanoir.dyram.wire.Message.Beat;
import org.tamanoir.dyram.wire.Message.Challenge;
import org.tamanoir.dyram.wire.Message.Close;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Echo;
import org.tamanoir.dyram.wire.Message.Have;
import org.tamanoir.dyram.wire.Message.Heard;
import org.tamanoir.dyram.wire.Message.HopMessage;
import org.tamanoir.dyram.wire.Message.Join;
import org.tamanoir.dyram.wire.Message.Leave;
import org.tamanoir.dyram.wire.Message.Nack;
import org.tamanoir.dyram.wire.Message.Refuse;
import org.tamanoir.dyram.wire.Message.Rejoin;
import org.tamanoir.dyram.wire.Message.Report;
import org.tamanoir.dyram.wire.Message.Request;
import org.tamanoir.dyram.wire.Message.Wrong;
import org.tamanoir.dyram.wire.Outlet;
import org.tamanoir.dyram.wire.RoundTrip;
import org.tamanoir.dyram.wire.ServiceSet;

/** One session at a node: the way up, and a {@link Hop} for the ways down. */
final class NodeSession implements Upstream {
    /** Nobody is told more often that it is not known. */
    private static final long REJOIN_PAUSE = 20_000_000;
    /** A way up that says nothing for so long may be replaced by another. */
    private static final long WAY_UP_TIMEOUT = 3_000_000_000L;
    /** Announcements come four times a second; what comes much faster is not handed on. */
    private static final long ANNOUNCE_PAUSE = 100_000_000;
    /** The way up is asked for its cookie again after so long. */
    private static final long ASK_AGAIN = 20_000_000_000L;
    /** Joins that are said again when the way up has asked who says them. */
    private static final int MOST_AGAIN = 64;
    private static final long ANSWER_PAUSE = 20_000_000;
    /** Above is not told more often what is held below. */
    private static final long HAVE_PAUSE = 50_000_000;
    private static final long ASK_PAUSE = 100_000_000;

    private final NodeSettings settings;
    private final Outlet outlet;
    private final RandomGenerator random;
    private final HopCounters counters;
    private final JoinRoutes joins;
    private final Losses.Builder asks = new Losses.Builder();
    private final RoundTrip way = new RoundTrip();
    private final Hop hop;
    /** What this node does for the session, and what it was asked for and does not do. */
    private final ServiceSet services;
    private final ServiceSet refusedServices;
    private Announce announce;
    private InetSocketAddress parent;
    private boolean hearsGroup;
    private long cookie;
    /** Counts what makes receivers join again: another way up, and one that does not know this node any more. */
    private int above;
    private long lastHeard;
    /** Whether the way up has shown that it is where it says, and when it has last. */
    private boolean believed;
    private long answeredAt;
    private long announcedAt;
    private long nextAnswer;
    private long nextAsk;
    /** What the way up has asked for; said again with every join as long as none was accepted, for it may have been lost. */
    private Answer toParent;
    private final RateBound rate;
    private long nextReport;
    private long nextRejoin;
    /** When above is told what everybody below holds; {@link Long#MAX_VALUE} if nothing of it is new. */
    private long nextHave = Long.MAX_VALUE;
    private long nextHaveAllowed;
    private Close closed;

    /**
     * @param parent   where the announcement came from
     * @param believed whether it has shown that it is there; if not, it gets nothing but joins
     */
    NodeSession(NodeSettings settings, Announce announce, InetSocketAddress parent, boolean believed, JoinRoutes joins, Outlet outlet, RandomGenerator random,
                HopCounters counters, long now) {
        this.settings = settings;
        this.outlet = outlet;
        this.random = random;
        this.counters = counters;
        this.announce = announce;
        this.parent = parent;
        this.hearsGroup = announce.toGroup();
        this.joins = joins;
        this.rate = new RateBound(announce.terms(), now);
        this.lastHeard = now;
        this.believed = believed;
        this.answeredAt = now;
        this.announcedAt = now;
        this.nextReport = now + settings.reports().toNanos();
        // On the network that the packets come from they have been heard by everybody already.
        InetSocketAddress group = settings.groups() && (settings.relays() || !hearsGroup) ? announce.terms().group() : null;
        ServiceSet asked = announce.terms().services().of(!settings.neighbours().get().contains(parent));
        HopSettings within = settings.hop().within(asked);
        this.services = within.services();
        this.refusedServices = asked.equals(ServiceSet.ALL) ? ServiceSet.NONE : asked.less(services);
        counters.refusedServices(refusedServices.names().size());
        this.hop = new Hop(within, announce.session(), announce.terms(), group, this, outlet, counters);
        if (!announce.terms().started()) {
            hop.sent(now, 0);
        }
    }

    Announce announce() {
        return announce;
    }

    Hop hop() {
        return hop;
    }

    InetSocketAddress parent() {
        return parent;
    }

    /** What the session asked for and the operator allows. */
    ServiceSet services() {
        return services;
    }

    /** What the session asked for by name and this node does not do. */
    ServiceSet refusedServices() {
        return refusedServices;
    }

    /** How the source has ended it; null if it has not. */
    Close closed() {
        return closed;
    }

    /** Whether nothing has come of its way up for too long, or the way up has not answered for too long. */
    boolean isSilent(long now) {
        return now - lastHeard > settings.silence().toNanos() || now - answeredAt > Addresses.BELIEVED;
    }

    /** The way up has shown that it is where it says. */
    void answered(long now) {
        believed = true;
        answeredAt = now;
    }

    /** Whether the way up is to be asked for its cookie: long before it is not believed any more. */
    boolean isToAsk(long now) {
        return !believed || now - answeredAt > ASK_AGAIN;
    }

    /** Whether a message has come from a way up that has not shown yet that it is there, and was not asked for a while. */
    boolean isToAskSoon(long now, InetSocketAddress from) {
        if (believed || now < nextAsk || !from.equals(parent)) {
            return false;
        }
        nextAsk = now + ASK_PAUSE;
        return true;
    }

    /** Whether an announcement of this session that did not come by the way up may change the way up. */
    boolean isOpen(long now) {
        return now - lastHeard >= WAY_UP_TIMEOUT;
    }

    /**
     * @param there whether its sender has shown that it is there
     * @return whether it says something new, to be handed on
     */
    boolean announced(long now, Announce newer, InetSocketAddress from, boolean there) {
        if (newer.number() - announce.number() <= 0 || !newer.terms().started(false).equals(announce.terms().started(false))
                || now - announcedAt < ANNOUNCE_PAUSE) {
            return false;
        }
        if (!from.equals(parent)) {
            if (!isOpen(now)) {
                return false;
            }
            parent = from;
            toParent = null;
            cookie = 0;
            above++;
            believed = there;
            answeredAt = now;
            hop.toAll(new Rejoin(announce.session()));
        }
        announcedAt = now;
        hearsGroup = newer.toGroup();
        lastHeard = now;
        announce = newer;
        return true;
    }

    void onMessage(long now, Message message, InetSocketAddress from) {
        boolean fromAbove = from.equals(parent);
        if (message instanceof Data data) {
            data(now, data, from, fromAbove);
        } else if (message instanceof Join join && !fromAbove) {
            join(now, join, from);
        } else if (fromAbove) {
            lastHeard = now;
            above(now, message);
        } else if (message instanceof HopMessage below) {
            below(now, below, from);
        } else {
            counters.refused();
        }
    }

    private void data(long now, Data data, InetSocketAddress from, boolean fromAbove) {
        if (!announce.terms().contains(data.sequence())) {
            counters.refused();
        } else if (fromAbove && data.cookie() == 0) {
            if (!rate.allows(now, data)) {
                counters.overRate();
                return;
            }
            lastHeard = now;
            hop.data(now, data);
        } else if (data.repair()) {
            Link link = hop.link(now, from, data.cookie());
            if (link != null) {
                hop.repairFrom(now, link, data);
            }
        } else {
            counters.refused();
        }
    }

    /** From one that has shown that it is where it says, and wants this session. */
    private void join(long now, Join join, InetSocketAddress from) {
        if (joins.add(now, join, from, join.viaNode() && settings.neighbours().get().contains(from))) {
            if (toParent != null && cookie == 0) {
                outlet.send(toParent, parent);
            }
            outlet.send(join.hop(true, hearsGroup), parent);
            acceptAgain(now, join);
        } else {
            counters.refused();
        }
    }

    /**
     * One that was accepted by this way up asks once more, as the answer was lost: it need not come from the source again, through every
     * place between. The join goes up nevertheless, for the source decides.
     */
    private void acceptAgain(long now, Join join) {
        JoinRoutes.Way to = joins.find(now, join.session(), join.name(), join.instance());
        if (cookie != 0 && to != null && to.isAccepted() && to.above() == above) {
            accept(now, to, to.accept());
        }
    }

    /** The way up asks whether this node is where it says; it is answered only if there was something to say to it. */
    void challenged(long now, Challenge challenge) {
        List<Join> waiting = joins.waiting(now, announce.session(), MOST_AGAIN);
        if (now < nextAnswer || waiting.isEmpty() && cookie == 0) {
            counters.refused();
            return;
        }
        nextAnswer = now + ANSWER_PAUSE;
        toParent = new Answer(challenge.session(), challenge.cookie());
        outlet.send(toParent, parent);
        waiting.forEach(join -> outlet.send(join.hop(true, hearsGroup), parent));
    }

    // From above.

    private void above(long now, Message message) {
        if (message instanceof Beat beat) {
            if (announce.terms().index(beat.next()) >= 0 && announce.terms().index(beat.next()) <= announce.terms().packets()) {
                hop.sent(now, announce.terms().index(beat.next()));
                hop.toAll(beat);
            }
        } else if (message instanceof Accept accept) {
            accepted(now, accept);
        } else if (message instanceof Refuse refuse) {
            refused(now, refuse);
        } else if (message instanceof Close close) {
            hop.toAll(close);
            closed = close;
        } else if (message instanceof Rejoin rejoin) {
            above++;
            hop.toAll(rejoin);
        } else if (message instanceof HopMessage next && next.cookie() == cookie) {
            fromNextHop(now, next);
        } else {
            counters.refused();
        }
    }

    private void fromNextHop(long now, HopMessage message) {
        if (message instanceof Request request) {
            hop.requested(now, request.losses());
        } else if (message instanceof Heard heard) {
            hop.heard(now, heard.losses(), heard.within() * 1_000L);
        } else if (message instanceof Echo echo) {
            way.echoed(now, echo);
        } else if (message instanceof Wrong wrong && announce.terms().contains(wrong.sequence())) {
            hop.wrong(null, announce.terms().index(wrong.sequence()), wrong.replier());
        } else {
            counters.refused();
        }
    }

    private void accepted(long now, Accept accept) {
        JoinRoutes.Way to = joins.find(now, accept.session(), accept.name(), accept.instance());
        if (to == null) {
            counters.refused();
            return;
        }
        if (cookie == 0) {
            nextReport = now;
        }
        cookie = accept.cookie();
        if (accept(now, to, accept)) {
            joins.answered(now, to, accept, above);
        }
    }

    /** Gives a receiver, or the node that has joined for it, a link. @return whether there is room for it */
    private boolean accept(long now, JoinRoutes.Way to, Accept accept) {
        Link link = hop.accept(now, to.from(), random.nextLong() | 1, to.node(), to.join().hearsGroup(), accept.member());
        if (link != null) {
            outlet.send(accept.cookie(link.cookie()), to.from());
        }
        return link != null;
    }

    private void refused(long now, Refuse refuse) {
        JoinRoutes.Way to = joins.find(now, refuse.session(), refuse.name(), refuse.instance());
        if (to == null) {
            counters.refused();
            return;
        }
        outlet.send(refuse, to.from());
        if (to.isAccepted()) {
            joins.answered(now, to, null, above);
            hop.expel(to.accept().member());
        }
    }

    // From below.

    private void below(long now, HopMessage message, InetSocketAddress from) {
        // One that is not known, or that has the cookie of another time because its accept was lost, has to join again.
        Link link = hop.link(now, from, message.cookie());
        if (link == null) {
            if (now >= nextRejoin) {
                nextRejoin = now + REJOIN_PAUSE;
                outlet.send(new Rejoin(announce.session()), from);
            }
            return;
        }
        if (message instanceof Nack nack) {
            hop.nack(now, link, nack.losses());
        } else if (message instanceof Report report) {
            hop.report(link, report);
            long remote = patience();
            outlet.send(new Echo(announce.session(), link.cookie(), report.stamp(), micros(hop.fromNeighbours()), micros(remote)), from);
        } else if (message instanceof Have have) {
            nextHave = hop.have(link, have) ? Math.min(nextHave, Math.max(now, nextHaveAllowed)) : nextHave;
        } else if (message instanceof Leave leave) {
            hop.left(link, leave.member());
        } else if (message instanceof Wrong wrong && announce.terms().contains(wrong.sequence())) {
            hop.wrong(link, announce.terms().index(wrong.sequence()), wrong.replier());
        } else {
            counters.refused();
        }
    }

    private static int micros(long nanos) {
        return (int) Math.min(Integer.MAX_VALUE, nanos / 1_000);
    }

    // What the hop asks of above.

    @Override
    public void ask(long index, int rank) {
        asks.add(announce.terms().sequence(index), rank);
    }

    private void sendUp(Message message) {
        if (believed) {
            outlet.send(message, parent);
        } else {
            counters.unanswered();
        }
    }

    @Override
    public void repair(Data data) {
        sendUp(data.cookie(cookie));
    }

    @Override
    public void wrong(long index, int member) {
        sendUp(new Wrong(announce.session(), cookie, announce.terms().sequence(index), member));
    }

    @Override
    public long patience() {
        return way.rtt() + Math.max(way.local(), way.remote());
    }

    @Override
    public boolean isHere() {
        return false;
    }

    // Time.

    long deadline() {
        return Math.min(hop.deadline(), Math.min(nextReport, nextHave));
    }

    void onTimer(long now) {
        hop.onTimer(now);
        if (now >= nextHave) {
            nextHave = Long.MAX_VALUE;
            nextHaveAllowed = now + HAVE_PAUSE;
            List<Have> haves = cookie == 0 ? null : hop.haves(cookie);
            if (haves != null) {
                haves.forEach(this::sendUp);
            }
        }
        if (now >= nextReport) {
            nextReport = now + settings.reports().toNanos();
            hop.sweep(now);
            if (cookie != 0 && closed == null) {
                for (Report report : hop.members().aggregate(announce.session(), announce.terms(), cookie, way.stamp(now),
                        micros(way.measured()), micros(hop.local()))) {
                    sendUp(report);
                }
            }
        }
    }

    void flush() {
        for (Losses missing : asks.take()) {
            sendUp(new Nack(announce.session(), cookie, missing));
        }
        hop.flush();
    }
}
