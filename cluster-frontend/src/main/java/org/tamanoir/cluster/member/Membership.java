package org.tamanoir.cluster.member;

import java.net.InetAddress;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.member.BackEndEntry.Check;
import org.tamanoir.cluster.member.BackEndEntry.Out;
import org.tamanoir.cluster.member.Event.What;
import org.tamanoir.cluster.plan.BackEnd;
import org.tamanoir.cluster.plan.ClusterConfiguration;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Plan.VirtualService;
import org.tamanoir.cluster.plan.Pool;
import org.tamanoir.membership.Addresses;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.membership.Report.State;
import org.tamanoir.membership.Welcome;
import org.tamanoir.membership.Welcome.Virtual;

/**
 * The back ends of a cluster. Each is there as long as it reports: a report holds for a lease. What is planned of it follows from reports alone, so that
 * two front-ends that hear the same plan the same; only the hold of one that flaps also counts what the director's own checks have seen.
 *
 * <p>A name is one back end's. Another instance under it is a restart if the old one is silent for a lease or was at the same address and port, which two
 * processes cannot both have; an instance that was replaced does not come back while its successor reports. So is an address and port one name's. Where
 * two begin to quarrel at the same time, two front-ends may hear another one first: each says EE-902 to the other one, and both show it.
 *
 * <p>A back end that goes (is down, silent, or restarted) more often than {@link Timing#flaps} is held: out of the plan until it has reported without a
 * break for a while that doubles. At most half of a pool is held, so a pool of one is not, and checks that all fail at once count against nobody: then it
 * is the director that has lost them.
 *
 * <p>Times are nanoseconds of {@link System#nanoTime}. Every call brings everything up to its time. For one thread at a time. At most {@value #MOST}
 * back ends, {@value #MOST_EVENTS} events and {@value Refusals#MOST} refusals are kept.
 */
public final class Membership {
    /** Back ends of a front-end, those that are out and not forgotten included. */
    public static final int MOST = 256;
    /** Events that are kept. */
    public static final int MOST_EVENTS = 256;

    private final TreeMap<String, BackEndEntry> entries = new TreeMap<>();
    private final Refusals refusals = new Refusals();
    private final EventLog journal;
    private final FlapDamping holds;
    private ClusterConfiguration configuration;
    private Timing timing;

    /** @param listener hears of every event, on the thread of the call that it is of */
    public Membership(ClusterConfiguration configuration, Timing timing, Consumer<Event> listener) {
        this.configuration = configuration;
        this.timing = timing;
        this.journal = new EventLog(MOST_EVENTS, listener);
        this.holds = new FlapDamping(entries.values(), journal);
    }

    /** Another configuration. Whoever has no place in it is out, and its next report says why. */
    public void configure(ClusterConfiguration newConfiguration, Timing newTiming, long now) {
        configuration = newConfiguration;
        timing = newTiming;
        for (BackEndEntry entry : entries.values()) {
            try {
                Admission.check(configuration, entry.pool, entry.address, entry.port);
            } catch (AnepException e) {
                if (entry.out == null) {
                    entry.unfit = e.getMessage();
                    out(entry, Out.UNFIT, What.REFUSED, e.getMessage(), now);
                }
            }
        }
        tick(now);
    }

    /**
     * What the last run of this front-end carried: it stays for a lease, in which its back ends report. Those that have reported already are left alone.
     *
     * @param plan the last that was applied
     */
    public void restore(Plan plan, long now) {
        for (VirtualService service : plan.services()) {
            for (RealServer server : service.servers()) {
                BackEndEntry entry = entries.get(server.name());
                if (entry == null && entries.size() < MOST && fits(service.pool(), server)) {
                    entry = new BackEndEntry(server.name());
                    entry.pool = service.pool();
                    entry.address = server.address();
                    entry.port = server.port();
                    entry.health = server.health();
                    entry.heard = now;
                    entries.put(entry.name, entry);
                    journal.add(now, entry.name, What.KEPT, "was there before, and has " + EventLog.seconds(timing.lease().toNanos()) + " to report");
                }
                if (entry != null && entry.instance == null) {
                    entry.affinity = service.persistence().isZero() ? entry.affinity : Affinity.SOURCE;
                    if (server.weight() == 0 && !entry.leaving) {
                        entry.leaving = true;
                        entry.drained = now + timing.drain().toNanos();
                    }
                    entry.settle(now);
                }
            }
        }
    }

    private boolean fits(String pool, RealServer server) {
        try {
            Admission.check(configuration, pool, server.address(), server.port());
            return holder(server.address(), server.port(), server.name()) == null;
        } catch (AnepException e) {
            return false;
        }
    }

    /**
     * A back end reports. One that is older than the last of its instance changes nothing.
     *
     * @param report as {@link org.tamanoir.membership.ReportReader} gives it
     * @return what becomes of it
     * @throws AnepException EE-901 if its address cannot be a back end's, EE-902 if its name or address is another one's, EE-903 if there is no such
     *                       pool, EE-908 if its port is not what the method needs, EE-410 if there are as many back ends as may be
     */
    public Member report(Report report, long now) {
        tick(now);
        try {
            Member member = accept(report, now);
            refusals.taken(report.name(), report.instance());
            return member;
        } catch (AnepException e) {
            if (refusals.add(report.name(), report.instance(), e.getMessage(), now)) {
                journal.add(now, report.name(), What.REFUSED, e.getMessage());
            }
            throw e;
        }
    }

    private Member accept(Report report, long now) {
        InetAddress address = Addresses.literal(report.address());
        if (address == null) {
            throw new AnepException(ErrorCode.BAD_REPORT, "address is no literal of IPv4 or IPv6");
        }
        Admission.check(configuration, report.pool(), address, report.port());
        BackEndEntry entry = entries.get(report.name());
        boolean same = entry != null && report.instance().equals(entry.instance);
        if (same && entry.out == Out.LEFT && now - entry.heard <= timing.lease().toNanos()) {
            throw new AnepException(ErrorCode.BAD_REPORT, "instance is " + report.instance() + ", which has said goodbye; it may come back in "
                    + EventLog.seconds(timing.lease().toNanos()));
        }
        if (same && report.sequence() <= entry.sequence) {
            return entry.member();
        }
        if (entry != null && entry.instance != null && !same && entry.out == null
                && (entry.wasReplaced(report.instance()) || !entry.at(address, report.port()))) {
            throw new AnepException(ErrorCode.BACK_END_TAKEN, "name is " + entry.name + ", and instance " + entry.instance + " at " + entry.where()
                    + " port " + entry.port + " reports under it");
        }
        BackEndEntry holder = holder(address, report.port(), report.name());
        if (holder != null && holder.instance != null) {
            throw new AnepException(ErrorCode.BACK_END_TAKEN, "address and port are " + holder.where() + " port " + holder.port + ", which back end "
                    + holder.name + " has");
        }
        if (holder != null) {
            out(holder, Out.LAPSED, What.LAPSED, report.name() + " has its address and port now", now);
        }
        if (entry == null) {
            entry = admit(report.name(), now);
        }
        take(entry, report, address, now);
        return entry.member();
    }

    /** Who else has an address and port. */
    private BackEndEntry holder(InetAddress address, int port, String name) {
        return entries.values().stream().filter(entry -> entry.out == null && entry.at(address, port) && !entry.name.equals(name)).findFirst().orElse(null);
    }

    private BackEndEntry admit(String name, long now) {
        if (entries.size() >= MOST) {
            BackEndEntry oldest = entries.values().stream().filter(entry -> entry.out != null).min(Comparator.comparingLong(entry -> entry.heard - now))
                    .orElseThrow(() -> new AnepException(ErrorCode.BUSY, "this front-end has " + MOST + " back ends, and takes no more"));
            entries.remove(oldest.name);
            journal.add(now, oldest.name, What.FORGOTTEN, "made room for " + name);
        }
        BackEndEntry entry = new BackEndEntry(name);
        entries.put(name, entry);
        return entry;
    }

    private void take(BackEndEntry entry, Report report, InetAddress address, long now) {
        boolean known = entry.address != null;
        boolean heard = entry.instance != null;
        boolean restarted = heard && !entry.instance.equals(report.instance());
        boolean moved = known && !(entry.at(address, report.port()) && entry.health == report.health() && entry.pool.equals(report.pool()));
        boolean leaves = report.state() == State.LEAVING;
        Out was = entry.out;
        if (was == null && heard && (restarted || moved)) {
            holds.gone(entry, timing, now);
        }
        String before = entry.instance;
        entry.take(report, address, now);
        entry.out = was == Out.DRAINED && leaves ? was : null;
        if (moved || was != null) {
            entry.check = Check.UNKNOWN;
            entry.flaps.restart(now);
        }
        String place = "at " + entry.where() + " port " + entry.port + " in pool " + entry.pool;
        if (restarted) {
            journal.add(now, entry.name, What.RESTARTED, "instance " + entry.instance + " follows " + before + " " + place);
        }
        if (!known) {
            journal.add(now, entry.name, What.JOINED, "reports " + place);
        } else if (!heard || was != null && entry.out == null) {
            journal.add(now, entry.name, What.RETURNED, "reports again " + place);
        }
        if (heard && moved) {
            journal.add(now, entry.name, What.MOVED, "is " + place);
        }
        drain(entry, leaves, now);
        entry.settle(now);
    }

    private void drain(BackEndEntry entry, boolean leaves, long now) {
        if (leaves && !entry.leaving) {
            entry.drained = now + timing.drain().toNanos();
            journal.add(now, entry.name, What.DRAINING, "leaves, and has " + EventLog.seconds(timing.drain().toNanos()) + " to drain");
        } else if (!leaves && entry.leaving) {
            entry.check = Check.UNKNOWN;
            journal.add(now, entry.name, What.RETURNED, "takes streams again");
        }
        entry.leaving = leaves;
    }

    /**
     * A back end says goodbye: it is out at once. Done twice it is done once.
     *
     * @param instance that leaves; the goodbye of one that another has replaced is of no interest
     * @return whether it was there
     */
    public boolean leave(String name, String instance, long now) {
        tick(now);
        BackEndEntry entry = entries.get(name);
        if (entry == null || entry.out == Out.LEFT || entry.instance != null && !entry.instance.equals(instance)) {
            return false;
        }
        entry.instance = instance;
        entry.leaving = false;
        entry.heard = now;
        out(entry, Out.LEFT, What.LEFT, "says goodbye", now);
        return true;
    }

    /**
     * What the director's checks say.
     *
     * @param names of the back ends that have answered the last checks of their health ({@link org.tamanoir.cluster.engine.Engine#alive})
     */
    public void alive(Set<String> names, long now) {
        tick(now);
        // Whoever leaves gets nothing, whatever its checks say.
        List<BackEndEntry> checked = entries.values().stream().filter(entry -> entry.planned() && !entry.leaving).toList();
        boolean lostAll = checked.stream().filter(entry -> entry.check == Check.UP).count() > 1
                && checked.stream().noneMatch(entry -> entry.check == Check.UP && names.contains(entry.name));
        for (BackEndEntry entry : checked) {
            if (names.contains(entry.name)) {
                if (entry.check != Check.UP) {
                    entry.check = Check.UP;
                    journal.add(now, entry.name, What.UP, "answers the check");
                }
            } else if (entry.check == Check.UP) {
                if (!lostAll) {
                    holds.gone(entry, timing, now);
                }
                entry.check = Check.DOWN;
                journal.add(now, entry.name, What.DOWN, "does not answer the check" + (lostAll ? ", and no other does" : ""));
            }
            entry.settle(now);
        }
    }

    /** Which back ends the plan leaves out, so that nobody checks them. @param why by name; others are not left out */
    public void apart(Map<String, String> why, long now) {
        entries.values().stream().filter(entry -> entry.apart(why.get(entry.name), now))
                .forEach(entry -> journal.add(now, entry.name, What.REFUSED, entry.apart));
    }

    /** Time passes; at least once a period, or who is silent stays. */
    public void tick(long now) {
        for (BackEndEntry entry : List.copyOf(entries.values())) {
            if (entry.out == null && now - entry.heard > timing.lease().toNanos()) {
                holds.gone(entry, timing, now);
                out(entry, Out.LAPSED, What.LAPSED, "has not reported for " + EventLog.seconds(now - entry.heard), now);
            } else if (entry.out == null && entry.leaving && now - entry.drained >= 0) {
                out(entry, Out.DRAINED, What.DRAINED, "has had its time to drain", now);
            } else if (entry.out != null && now - entry.heard > timing.forget().toNanos()) {
                entries.remove(entry.name);
                journal.add(now, entry.name, What.FORGOTTEN, "has been out for " + EventLog.seconds(now - entry.heard));
            } else {
                holds.expire(entry, now);
            }
        }
        refusals.expire(timing.window().toNanos(), now);
        configuration.pools().forEach(pool -> holds.keepHalf(pool.name(), now));
    }

    private void out(BackEndEntry entry, Out why, What what, String text, long now) {
        entry.out = why;
        journal.add(now, entry.name, what, text);
        entry.settle(now);
    }

    /** All of them, also those that are out and not forgotten, in the order of their names. */
    public List<Member> members() {
        return entries.values().stream().map(BackEndEntry::member).toList();
    }

    /** What the planner has to know of them. */
    public Collection<BackEnd> backEnds() {
        return members().stream().map(Member::backEnd).toList();
    }

    /**
     * The answer to the report of a member.
     *
     * @throws AnepException EE-903 if its pool has gone
     */
    public Welcome welcome(String frontend, Member member) {
        Pool pool = configuration.pool(member.pool()).orElseThrow(() -> new AnepException(ErrorCode.NO_POOL,
                "pool is '" + member.pool() + "', which is not configured any more"));
        List<Virtual> services = pool.addresses().stream().filter(address -> address.getClass() == member.address().getClass())
                .map(address -> new Virtual(Addresses.text(address), pool.port())).toList();
        return new Welcome(frontend, timing.period().toMillis(), timing.lease().toMillis(), pool.method(), services, member.standing(), member.why());
    }

    /** What happened last, oldest first. */
    public List<Event> events() {
        return journal.list();
    }

    /** Who is refused, the latest last; one that has not been for a window is dropped. */
    public List<Refusal> refusals() {
        return refusals.list();
    }

    /** Whether a back end can be one of the cluster as it is configured. */
    static final class Admission {
        private Admission() {
        }

        /**
         * Checks a back end.
         *
         * @throws AnepException EE-903 if there is no such pool, EE-901 if the address cannot be one of its back ends', EE-908 if the port cannot
         */
        static void check(ClusterConfiguration configuration, String poolName, InetAddress address, int port) {
            Pool pool = configuration.pool(poolName).orElseThrow(() -> new AnepException(ErrorCode.NO_POOL,
                    "pool is '" + poolName + "'; this front-end has " + configuration.pools().stream().map(Pool::name).sorted().toList()));
            String text = Addresses.text(address);
            if (configuration.virtualAddresses().contains(address)) {
                throw new AnepException(ErrorCode.BAD_REPORT, "address is " + text + ", which is a virtual one; it must be the back end's own");
            }
            if (!pool.serves(address)) {
                throw new AnepException(ErrorCode.BAD_REPORT, "address is " + text + "; pool " + pool.name() + " has virtual addresses of the other family only");
            }
            if (!pool.takes(port)) {
                throw new AnepException(ErrorCode.BACK_END_SETUP, "port is " + port + "; with method " + pool.method() + " pool " + pool.name()
                        + " keeps the port of packets, so it must be " + pool.port());
            }
        }
    }
}
