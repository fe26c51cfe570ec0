package org.tamanoir.node.cluster;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.membership.Addresses;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.State;
import org.tamanoir.node.cluster.load.LoadMeter;
import org.tamanoir.node.cluster.order.UpgradeOrders;
import org.tamanoir.node.cluster.order.Upgrader;
import org.tamanoir.node.cluster.virtual.VirtualAddress;
import org.tamanoir.node.cluster.virtual.VirtualSetup;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.stream.NodeStreams;

/**
 * A node as a back end of a cluster, if its configuration says so: its registrations, the answer to checks, what the machine is set up for. It can be
 * configured anew while it runs; a node that is in no cluster has it too, and it costs nothing.
 */
public final class ClusterMember implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMember.class);
    private static final long SECOND_NANOS = 1_000_000_000L;
    /** Between two looks at what front-ends order. */
    private static final long LOOK_MILLIS = 100;
    /** Longer than a call of a service may hold an event loop as a rule. */
    private static final long HELD_NANOS = 3 * SECOND_NANOS;
    /** For front-ends that answer to hear that the node leaves. */
    private static final long LEAVE_PATIENCE_NANOS = 3 * SECOND_NANOS;
    /** A back end that has told that it leaves may get streams for so long: its directors have to be told first. */
    private static final long LATE_NANOS = 5 * SECOND_NANOS;
    /** After so long no other front-end is waited for before what none of them wants is taken away. */
    private static final long SETTLED_NANOS = 5 * SECOND_NANOS;
    /** A report that is no older is also for the other front-ends that one is due for: those that hear the same make the same weights of it. */
    private static final long SHARED_NANOS = SECOND_NANOS / 10;

    private final Path data;
    private final String instance = String.format("%016x", new SecureRandom().nextLong());
    private final AtomicLong sequence = new AtomicLong();
    private final SharedReport report = new SharedReport(SHARED_NANOS, this::state, this::made);
    private final Registrar registrar;
    private volatile ClusterSettings settings;
    private volatile boolean leaving;
    private volatile boolean stopping;
    private volatile long leavingSince;
    private volatile long configuredAt;
    private volatile Set<VirtualAddress> wanted = Set.of();
    private volatile HealthListener health;
    private volatile LoadMeter load;
    private volatile VirtualSetup setup;
    private volatile UpgradeOrders orders;
    private volatile ScheduledExecutorService thread;
    private NodeStreams streams;
    private ServiceRegistry services;
    private Upgrader upgrader;
    private InetSocketAddress address;
    private boolean open;

    /**
     * @param data  the node's directory: what is set up is written down there, so that it is taken away also after a crash
     * @param first what holds when the node takes streams; null for no cluster
     * @param tls   for reports by https; null for the JDK's authorities
     */
    public ClusterMember(Path data, ClusterSettings first, SSLContext tls) {
        this.registrar = new Registrar(report::after, this::answered, tls);
        this.data = data;
        this.settings = first;
    }

    /**
     * The node takes streams: what a predecessor left on this machine is taken away, and the node registers if it is to.
     *
     * @param at      where streams come in
     * @param changes makes the changes of versions that front-ends order
     * @throws AnepException EE-502
     */
    public synchronized void open(NodeStreams running, ServiceRegistry registry, InetSocketAddress at, Upgrader changes) {
        streams = running;
        services = registry;
        upgrader = changes;
        address = at;
        open = true;
        VirtualSetup.takeAwayLeftovers(data);
        if (settings != null) {
            begin(settings, new HealthListener(settings.health(), this::health));
        }
    }

    /** Settings that are ready to hold. Exactly one of the two is called. */
    public interface Reconfiguration {
        void commit();

        void discard();
    }

    /**
     * Gets ready for other settings: what listens for checks is opened, if it is to be elsewhere.
     *
     * @param changed null for no cluster
     * @throws AnepException EE-502
     */
    public synchronized Reconfiguration prepare(ClusterSettings changed) {
        boolean same = !open || Objects.equals(changed, settings);
        HealthListener before = health;
        boolean elsewhere = !same && changed != null && (before == null || !before.isAt(changed.health()));
        HealthListener listener = elsewhere ? new HealthListener(changed.health(), this::health) : before;
        return new Reconfiguration() {
            @Override
            public void commit() {
                if (!same) {
                    configure(changed, listener);
                }
            }

            @Override
            public void discard() {
                if (elsewhere) {
                    listener.close();
                }
            }
        };
    }

    private synchronized void configure(ClusterSettings changed, HealthListener listener) {
        if (changed == null) {
            end();
        } else {
            begin(changed, listener);
        }
    }

    /** What holds now; null for no cluster. */
    public ClusterSettings settings() {
        return settings;
    }

    /** Whether a director spreads streams for an address over nodes of which this is one. */
    public boolean serves(InetSocketAddress virtual) {
        return settings != null && registrar.all().stream().map(each -> each.contact().view().welcome())
                .anyMatch(welcome -> welcome != null && VirtualAddressRequests.isFor(welcome, virtual));
    }

    private void begin(ClusterSettings now, HealthListener listener) {
        HealthListener before = health;
        health = listener;
        settings = now;
        streams.own().add(listener.address());
        if (thread == null) {
            load = new LoadMeter(streams);
            orders = new UpgradeOrders(upgrader, new Ordered());
            setup = new VirtualSetup(data, address.getPort(), streams::listenAlso);
            thread = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread made = new Thread(task, "tamanoir-cluster");
                made.setDaemon(true);
                return made;
            });
            thread.scheduleWithFixedDelay(this::setUp, 1, 1, TimeUnit.SECONDS);
            thread.scheduleWithFixedDelay(this::carryOut, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
        setup.machine(now.address(), now.replyVia(), now.frontends(), now.virtualAddresses());
        configuredAt = System.nanoTime();
        report.forget();
        registrar.configure(now);
        registrar.hurry();
        if (before != null && before != health) {
            streams.own().remove(before.address());
            before.close();
        }
    }

    private void end() {
        registrar.close();
        settings = null;
        if (thread != null) {
            orders.close();
            thread.shutdown();
            try {
                thread.awaitTermination(SECOND_NANOS * 10, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            thread = null;
            setup.close();
            load.close();
            setup = null;
            load = null;
            orders = null;
        }
        wanted = Set.of();
        if (health != null) {
            health.close();
            health = null;
        }
    }

    // Reports.

    private State state() {
        return isLeaving() ? State.LEAVING : State.SERVING;
    }

    private Report made() {
        ClusterSettings now = settings;
        HealthListener listener = health;
        LoadMeter meter = load;
        UpgradeOrders ordered = orders;
        if (now == null || listener == null || meter == null || ordered == null) {
            throw new AnepException(ErrorCode.STOPPING, "the node is in no cluster any more");
        }
        return new Report(now.name(), instance, sequence.incrementAndGet(), Addresses.text(now.address()), address.getPort(),
                listener.address().getPort(), now.pool(), state(), ActiveServices.of(services), meter.load(), ordered.outcome());
    }

    private boolean isLeaving() {
        UpgradeOrders ordered = orders;
        return leaving || stopping || ordered != null && ordered.isAway();
    }

    /** What an operator has said about leaving holds before, while and after an order is carried out. */
    private final class Ordered implements UpgradeOrders.Listener {
        @Override
        public void leaves() {
            leavingSince = isLeaving() ? leavingSince : System.nanoTime();
        }

        @Override
        public void changed() {
            report.forget();
            registrar.hurry();
        }
    }

    private void carryOut() {
        UpgradeOrders ordered = orders;
        if (ordered != null && !stopping) {
            try {
                ordered.tick(System.nanoTime(), registrar.orders(), registrar.knowLeaving(), registrar.settlingNanos(), streams.count());
            } catch (RuntimeException e) {
                // The next look is in a moment, and there must be one.
                LOG.error("the orders of front-ends are not carried out", e);
            }
        }
    }

    // The machine.

    /** A front-end has answered. */
    private void answered() {
        if (!registrar.wanted(wanted, System.nanoTime() - configuredAt < SETTLED_NANOS).equals(wanted)) {
            ScheduledExecutorService machine = thread;
            try {
                if (machine != null) {
                    machine.execute(this::setUp);
                }
            } catch (RejectedExecutionException e) {
                LOG.debug("the node is in no cluster any more");
            }
        }
    }

    private void setUp() {
        VirtualSetup machine = setup;
        if (machine != null) {
            try {
                wanted = registrar.wanted(wanted, System.nanoTime() - configuredAt < SETTLED_NANOS);
                machine.want(wanted);
            } catch (RuntimeException e) {
                // The next look is in a second, and there must be one.
                LOG.error("this machine cannot be looked at", e);
            }
        }
    }

    // What directors are told.

    private Health health() {
        LoadMeter meter = load;
        VirtualSetup machine = setup;
        if (meter == null || machine == null) {
            return Health.failing("it is not ready yet");
        }
        long held = Math.max(meter.allHeld(), streams.accepting().stream().mapToLong(meter::held).max().orElse(0));
        if (held > HELD_NANOS) {
            return Health.failing("its event loops have run nothing for " + held / 1_000_000 + " ms");
        }
        if (isLeaving()) {
            return finishing();
        }
        return !streams.isListening() ? Health.failing("it takes no streams") : machine.lost() != null ? Health.failing(machine.lost()) : Health.OK;
    }

    /**
     * A director that takes a back end out because of its check breaks the streams that it has. So a back end that leaves answers the check as long as it
     * finishes streams and its front-ends know that it leaves, which keeps new streams away; where none of them knows, the check has to.
     */
    private Health finishing() {
        boolean known = registrar.knowLeaving();
        boolean busy = streams.count() > 0 || System.nanoTime() - leavingSince < LATE_NANOS;
        return new Health(known && busy, stopping ? "stopping" : "leaving", !known ? "no front-end that answers knows that it leaves"
                : busy ? "it finishes its streams and takes no new ones" : "it has finished its streams");
    }

    // Leaving and coming back.

    /** Has front-ends send no more new streams; open ones go on. Again is no error. */
    public void leave() {
        if (!isLeaving()) {
            leavingSince = System.nanoTime();
        }
        leaving = true;
        registrar.hurry();
    }

    /** Takes new streams again. */
    public void join() {
        leaving = false;
        registrar.hurry();
    }

    /** The node is to stop: waits until front-ends know, and new streams have stopped to come. A few seconds at most, whatever they do. */
    public void stopping() {
        if (settings == null) {
            return;
        }
        leavingSince = isLeaving() ? leavingSince : System.nanoTime();
        stopping = true;
        registrar.hurry();
        long end = System.nanoTime() + LEAVE_PATIENCE_NANOS;
        while (System.nanoTime() < end && registrar.all().stream().map(Frontend::contact).anyMatch(each -> each.answers() && !each.knowsLeaving())) {
            if (!slept(10)) {
                return;
            }
        }
        slept(registrar.settlingNanos() / 1_000_000);
    }

    private static boolean slept(long millis) {
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** How it is; null if it is in no cluster. */
    public MemberStatus status() {
        ClusterSettings now = settings;
        HealthListener listener = health;
        LoadMeter meter = load;
        VirtualSetup machine = setup;
        return now == null || listener == null || meter == null || machine == null ? null
                : MemberStatus.of(now, instance, address.getPort(), listener.address(), stopping ? "stopping" : isLeaving() ? "leaving" : "serving",
                        health(), registrar.all(), machine, meter.load(), orders == null ? null : orders.outcome());
    }

    @Override
    public synchronized void close() {
        if (open) {
            open = false;
            end();
        }
    }

    /** The services of a node as its reports have them. */
    static final class ActiveServices {
        private ActiveServices() {
        }

        /** The version of each service that new streams get, in the order of their names. */
        static List<Report.Service> of(ServiceRegistry services) {
            return services.all().stream().filter(each -> services.find(each.typeId()) == each).sorted(Comparator.comparing(RunningService::name))
                    .map(each -> new Report.Service(each.name(), each.typeId(), each.version(), each.level().name().toLowerCase(Locale.ROOT),
                            each.affinity())).toList();
        }
    }
}
