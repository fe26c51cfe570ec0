package org.tamanoir.dyram.node;

import java.net.InetSocketAddress;
import java.util.random.RandomGenerator;
import org.tamanoir.dyram.hop.Above;
import org.tamanoir.dyram.hop.Hop;
import org.tamanoir.dyram.hop.HopCounters;
import org.tamanoir.dyram.hop.Link;
import org.tamanoir.dyram.wire.Losses;
import org.tamanoir.dyram.wire.Message;
import org.tamanoir.dyram.wire.Message.Accept;
import org.tamanoir.dyram.wire.Message.Announce;
import org.tamanoir.dyram.wire.Message.Beat;
import org.tamanoir.dyram.wire.Message.Close;
import org.tamanoir.dyram.wire.Message.Data;
import org.tamanoir.dyram.wire.Message.Echo;
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

/** One session at a node: the way up, and a {@link Hop} for the ways down. */
final class NodeSession implements Above {
    /** Nobody is told more often that it is not known. */
    private static final long REJOIN_PAUSE = 20_000_000;
    /** A way up that says nothing for so long may be replaced by another. */
    private static final long WAY_UP_TIMEOUT = 3_000_000_000L;

    private final NodeSettings settings;
    private final Outlet outlet;
    private final RandomGenerator random;
    private final HopCounters counters;
    private final Joins joins = new Joins();
    private final Losses.Builder asks = new Losses.Builder();
    private final RoundTrip way = new RoundTrip();
    private final Hop hop;
    private Announce announce;
    private InetSocketAddress parent;
    private boolean hearsGroup;
    private long cookie;
    private long lastHeard;
    private long nextReport;
    private long nextRejoin;
    private Close closed;

    NodeSession(NodeSettings settings, Announce announce, InetSocketAddress parent, Outlet outlet, RandomGenerator random,
                HopCounters counters, long now) {
        this.settings = settings;
        this.outlet = outlet;
        this.random = random;
        this.counters = counters;
        this.announce = announce;
        this.parent = parent;
        this.hearsGroup = announce.toGroup();
        this.lastHeard = now;
        this.nextReport = now + settings.reports().toNanos();
        // On the network that the packets come from they have been heard by everybody already.
        InetSocketAddress group = settings.groups() && (settings.relays() || !hearsGroup) ? announce.terms().group() : null;
        this.hop = new Hop(settings.hop(), announce.session(), announce.terms(), group, this, outlet, counters);
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

    /** How the source has ended it; null if it has not. */
    Close closed() {
        return closed;
    }

    boolean isSilent(long now) {
        return now - lastHeard > settings.silence().toNanos();
    }

    /** @return whether it says something new, to be handed on */
    boolean announced(long now, Announce newer, InetSocketAddress from) {
        if (newer.number() - announce.number() <= 0 || !newer.terms().started(false).equals(announce.terms().started(false))) {
            return false;
        }
        if (!from.equals(parent)) {
            if (now - lastHeard < WAY_UP_TIMEOUT) {
                return false;
            }
            parent = from;
            cookie = 0;
            hop.toAll(new Rejoin(announce.session()));
        }
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
            join(join, from);
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

    private void join(Join join, InetSocketAddress from) {
        joins.add(join, from);
        outlet.send(join.hop(true, hearsGroup), parent);
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
            refused(refuse);
        } else if (message instanceof Close close) {
            hop.toAll(close);
            closed = close;
        } else if (message instanceof Rejoin rejoin) {
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
        Joins.Way to = joins.find(accept.name(), accept.instance());
        if (to == null) {
            counters.refused();
            return;
        }
        if (cookie == 0) {
            nextReport = now;
        }
        cookie = accept.cookie();
        Link link = hop.accept(now, to.from(), random.nextLong() | 1, to.node(), to.hearsGroup(), accept.member());
        if (link != null) {
            joins.accepted(accept.name(), accept.instance(), accept.member());
            outlet.send(accept.cookie(link.cookie()), to.from());
        }
    }

    private void refused(Refuse refuse) {
        Joins.Way to = joins.find(refuse.name(), refuse.instance());
        if (to == null) {
            counters.refused();
            return;
        }
        outlet.send(refuse, to.from());
        if (to.member() > 0) {
            hop.expel(to.member());
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

    @Override
    public void repair(Data data) {
        outlet.send(data.cookie(cookie), parent);
    }

    @Override
    public void wrong(long index, int member) {
        outlet.send(new Wrong(announce.session(), cookie, announce.terms().sequence(index), member), parent);
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
        return Math.min(hop.deadline(), nextReport);
    }

    void onTimer(long now) {
        hop.onTimer(now);
        if (now >= nextReport) {
            nextReport = now + settings.reports().toNanos();
            hop.sweep(now);
            if (cookie != 0 && closed == null) {
                for (Report report : hop.members().aggregate(announce.session(), announce.terms(), cookie, way.stamp(now),
                        micros(way.measured()), micros(hop.local()))) {
                    outlet.send(report, parent);
                }
            }
        }
    }

    void flush() {
        for (Losses missing : asks.take()) {
            outlet.send(new Nack(announce.session(), cookie, missing), parent);
        }
        hop.flush();
    }
}
