package org.tamanoir.cluster.nft;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.check.Check;
import org.tamanoir.cluster.check.Check.CheckSettings;
import org.tamanoir.cluster.check.HealthChecks;
import org.tamanoir.cluster.check.Target;
import org.tamanoir.cluster.engine.Engine;
import org.tamanoir.cluster.engine.Engine.Counters;
import org.tamanoir.cluster.engine.Engine.EngineStatus;
import org.tamanoir.cluster.nft.NftTable.Seen;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Plan.VirtualService;
import org.tamanoir.kernel.Nftables;
import org.tamanoir.membership.Welcome.Method;

/**
 * A director by nftables. It works in the network namespace of the thread that opens it. A back end gets connections from when its checks are good;
 * one whose checks fail is out of the rules at once. Safe for all threads.
 */
public final class NftEngine implements Engine {
    /** How often counters are read for their rates, and what failed is tried again. */
    private static final long TICK_MILLIS = 2_000;
    /** A packet that was under way while rules changed may have made its entry behind the look at them. */
    private static final long SECOND_LOOK_MILLIS = 500;
    private static final Logger LOG = LoggerFactory.getLogger(NftEngine.class);

    private final String why;
    private final Supplier<String> role;
    private final NftTable table;
    private final KernelThread worker = new KernelThread("nft engine");
    private final HealthChecks checks;
    private final Ledger ledger = new Ledger();
    private final AtomicBoolean due = new AtomicBoolean();
    /** Of the worker alone. */
    private Reconcile.Keep kept;
    private volatile Plan plan = Plan.EMPTY;
    private volatile boolean carries;
    /** Of the rules, of connection tracking, of others; null where there is nothing to say. */
    private volatile String refused;
    private volatile String untracked;
    private volatile String foreign;

    private NftEngine(String why, Supplier<String> role, CheckSettings settings, Nftables nft) {
        this.why = why;
        this.role = role;
        this.table = new NftTable(nft);
        this.checks = new HealthChecks(settings, new SplittableRandom(), this::changed);
        worker.every(TICK_MILLIS, this::tick);
    }

    /**
     * An engine that carries nothing yet. Nothing is put into the kernel before the first plan.
     *
     * @param why      it was chosen, for its status
     * @param role     what VRRP says of this director, for its status: {@code master}, {@code backup}, {@code alone}, {@code unknown}
     * @param settings of the checks of back ends
     * @throws AnepException EE-904 if it cannot run here, EE-906 if somebody else has a table of its name
     */
    public static NftEngine open(String why, Supplier<String> role, CheckSettings settings) {
        Optional<String> missing = Nft.check();
        if (missing.isPresent()) {
            throw new AnepException(ErrorCode.NO_ENGINE, "the nft engine cannot run here: " + missing.get());
        }
        Nftables nft = Nftables.open();
        try {
            NftTable.refuseStranger(nft);
            return new NftEngine(why, role, settings, nft);
        } catch (RuntimeException e) {
            nft.close();
            throw e;
        }
    }

    @Override
    public String name() {
        return "nft";
    }

    @Override
    public void check(Plan wanted) {
        Refusals.check(wanted);
    }

    @Override
    public void apply(Plan wanted) {
        check(wanted);
        worker.call(() -> {
            Nft.checkForwarding(wanted);
            if (carries && wanted.equals(plan)) {
                return null;
            }
            table.put(Ruleset.of(wanted, this::up));
            boolean others = !virtual(wanted).equals(virtual(plan));
            plan = wanted;
            checks.watch(wanted.services().stream().flatMap(service -> service.servers().stream()).map(NftEngine::target).toList());
            carried();
            if (others) {
                lookForOthers();
            }
            return null;
        });
    }

    @Override
    public Set<String> alive() {
        return servers().filter(this::up).map(RealServer::name).collect(Collectors.toCollection(TreeSet::new));
    }

    @Override
    public List<Counters> counters() {
        Plan current = plan;
        try {
            return worker.call(() -> ledger.counters(current, table.counters(), flows(current)));
        } catch (AnepException e) {
            LOG.warn("counters cannot be read: {}", e.getMessage());
            return List.of();
        }
    }

    @Override
    public EngineStatus status() {
        String problem = refused != null ? refused : untracked != null ? untracked : foreign;
        return new EngineStatus(carries, why, role.get(), problem);
    }

    @Override
    public void close() {
        checks.close();
        worker.close();
        table.close();
        carries = false;
    }

    /** Told by the checks. Any number of changes that come before the worker gets to them are one. */
    private void changed() {
        if (due.compareAndSet(false, true)) {
            worker.execute(() -> {
                due.set(false);
                refresh();
            });
        }
    }

    private void refresh() {
        try {
            table.put(Ruleset.of(plan, this::up));
            carried();
        } catch (AnepException e) {
            carries = false;
            refused = e.getMessage();
            LOG.warn("the rules are not what they should be: {}", e.getMessage());
        }
    }

    private void carried() {
        carries = true;
        refused = null;
        Reconcile.Keep keep = Reconcile.keep(plan, this::state);
        if (!keep.equals(kept)) {
            kept = keep;
            reconcile();
            worker.later(SECOND_LOOK_MILLIS, this::reconcile);
        }
    }

    private void reconcile() {
        try {
            for (Reconcile.Eviction eviction : Reconcile.evictions(kept, flows(plan).counts())) {
                LOG.info("forgets {}", eviction);
                Conntrack.forget(eviction);
            }
            untracked = null;
        } catch (AnepException e) {
            untracked = e.getMessage();
            LOG.warn("connections of back ends that have gone may still lead there: {}", e.getMessage());
        }
    }

    private void tick() {
        try {
            ledger.rates(System.nanoTime(), table.counters());
            if (untracked != null) {
                reconcile();
            }
        } catch (AnepException e) {
            LOG.warn("the table is gone or cannot be read: {}", e.getMessage());
            carries = false;
        }
        if (!carries && plan != Plan.EMPTY) {
            refresh();
        }
    }

    private void lookForOthers() {
        try {
            List<String> found = table.foreign(virtual(plan));
            foreign = found.isEmpty() ? null : new AnepException(ErrorCode.CLUSTER_FOREIGN, "rules of others translate a virtual address too, and one of both is "
                    + "not carried out: " + String.join("; ", found)).getMessage();
        } catch (AnepException e) {
            LOG.warn("the rules of others cannot be read: {}", e.getMessage());
        }
    }

    private static TrackedConnections flows(Plan plan) {
        Set<String> services = new HashSet<>();
        Set<String> families = new HashSet<>();
        for (VirtualService service : plan.services()) {
            services.add(TrackedConnections.service(service.transport(), service.address(), service.port()));
            families.add(RuleNames.family(service.address()));
        }
        return Conntrack.flows(services, families.contains("ip"), families.contains("ip6"));
    }

    private Stream<RealServer> servers() {
        return plan.services().stream().flatMap(service -> service.servers().stream());
    }

    private static List<InetAddress> virtual(Plan plan) {
        return plan.services().stream().map(VirtualService::address).distinct().toList();
    }

    private static Target target(RealServer server) {
        return new Target(server.address(), server.health());
    }

    private Check.State state(RealServer server) {
        return checks.state(target(server));
    }

    private boolean up(RealServer server) {
        return state(server) == Check.State.UP;
    }

    /**
     * Counters of back ends, as ipvsadm has them: connections, packets and octets are nftables' own counters, which are exact; what is open now is counted
     * in connection tracking; rates are estimated here, since the kernel does not. No I/O. For one thread.
     */
    static final class Ledger {
        private final Rates rates = new Rates();

        /** Takes what the counters have now; about every two seconds. */
        void rates(long now, Map<String, Seen> counters) {
            Map<String, Long> values = new HashMap<>();
            counters.forEach((name, seen) -> values.put(name, name.endsWith(Ruleset.CONNECTIONS) ? seen.packets() : seen.octets()));
            rates.take(now, values);
        }

        /** One for each back end of each virtual service, in the order of the plan. */
        List<Counters> counters(Plan plan, Map<String, Seen> counters, TrackedConnections flows) {
            List<Counters> all = new ArrayList<>();
            for (VirtualService service : plan.services()) {
                for (RealServer server : service.servers()) {
                    String name = RuleNames.of(service, server);
                    Seen in = counters.getOrDefault(name + Ruleset.IN, Seen.NOTHING);
                    Seen out = counters.getOrDefault(name + Ruleset.OUT, Seen.NOTHING);
                    TrackedConnections.Count open = flows.counts().getOrDefault(Reconcile.key(service, server), TrackedConnections.Count.NONE);
                    all.add(new Counters(service, server, counters.getOrDefault(name + Ruleset.CONNECTIONS, Seen.NOTHING).packets(),
                            open.active(), open.opening() + open.inactive(), in.packets(), out.packets(), in.octets(), out.octets(),
                            rates.of(name + Ruleset.CONNECTIONS), rates.of(name + Ruleset.IN), rates.of(name + Ruleset.OUT)));
                }
            }
            return all;
        }

        /**
         * How fast counters grow, estimated as IPVS does (net/netfilter/ipvs/ip_vs_est.c): each two seconds a quarter of the difference to what was seen in them.
         * No I/O. As many as there are counters.
         */
        static final class Rates {
            private static final double GAIN = 0.25;

            private record Rate(long value, double perSecond) {
            }

            private final Map<String, Rate> rates = new HashMap<>();
            private long last;
            private boolean begun;

            /**
             * Takes new values of all counters; about every two seconds.
             *
             * @param now nanoseconds
             */
            void take(long now, Map<String, Long> values) {
                double seconds = (now - last) / 1e9;
                if (begun && seconds <= 0) {
                    return;
                }
                rates.keySet().retainAll(Set.copyOf(values.keySet()));
                values.forEach((name, value) -> {
                    Rate before = rates.get(name);
                    // One that has begun anew has fewer than before.
                    double seen = before == null || value < before.value ? 0 : (value - before.value) / seconds;
                    double rate = before == null ? 0 : before.perSecond;
                    rates.put(name, new Rate(value, rate + GAIN * (seen - rate)));
                });
                last = now;
                begun = true;
            }

            /** A second; 0 of one that is not known. */
            long of(String name) {
                Rate rate = rates.get(name);
                return rate == null ? 0 : Math.round(rate.perSecond);
            }
        }
    }

    /** What of a plan nftables cannot carry. No I/O. */
    static final class Refusals {
        private Refusals() {
        }

        /** @throws AnepException EE-907 with the first thing that cannot be */
        static void check(Plan plan) {
            Set<InetAddress> virtual = new HashSet<>();
            plan.services().forEach(service -> virtual.add(service.address()));
            for (VirtualService service : plan.services()) {
                if (service.method() != Method.NAT) {
                    throw refused(service, "asks for the method " + service.method() + ", and the nft engine knows NAT alone: set the method NAT, or run a "
                            + "kernel with IPVS");
                }
                checkAddress(service, "its own address", service.address());
                Set<String> places = new HashSet<>();
                for (RealServer server : service.servers()) {
                    String words = "the back end " + server.name() + " at " + RuleNames.endpoint(server.address(), server.port());
                    checkAddress(service, words, server.address());
                    if (virtual.contains(server.address())) {
                        throw refused(service, "has " + words + ", which is a virtual address");
                    }
                    if (!RuleNames.family(server.address()).equals(RuleNames.family(service.address()))) {
                        throw refused(service, "has " + words + ", and no connection is translated from one family of addresses to the other");
                    }
                    if (!places.add(RuleNames.of(service.transport(), server))) {
                        throw refused(service, "has " + words + " twice");
                    }
                }
            }
        }

        private static void checkAddress(VirtualService service, String words, InetAddress address) {
            if (address.isAnyLocalAddress() || address.isLoopbackAddress() || address.isMulticastAddress() || address.isLinkLocalAddress()) {
                throw refused(service, "cannot have " + words + " (" + RuleNames.text(address) + "): connections can be led to unicast addresses "
                        + "beyond this host and link only");
            }
        }

        private static AnepException refused(VirtualService service, String problem) {
            return new AnepException(ErrorCode.DIRECTOR_REFUSED, "the virtual service " + RuleNames.words(service) + " of the pool " + service.pool() + " " + problem);
        }
    }
}
