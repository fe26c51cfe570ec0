package org.tamanoir.node.cluster;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.membership.Addresses;
import org.tamanoir.membership.Report;
import org.tamanoir.membership.Report.State;
import org.tamanoir.node.cluster.load.LoadMeter;
import org.tamanoir.node.cluster.virtual.VirtualAddress;
import org.tamanoir.node.cluster.virtual.VirtualSetup;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.stream.Streams;

/**
 * A node as a back end of a cluster, if its configuration says so: its registrations, the answer to checks, what the machine is set up for. It can be
 * configured anew while it runs; a node that is in no cluster has it too, and it costs nothing.
 */
public final class ClusterMember implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMember.class);
    private static final long SECOND_NANOS = 1_000_000_000L;
    /** Longer than a call of a service may hold an event loop as a rule. */
    private static final long HELD_NANOS = 3 * SECOND_NANOS;
    /** For front-ends that answer to hear that the node leaves. */
    private static final long LEAVE_PATIENCE_NANOS = 3 * SECOND_NANOS;
    private static final long MOST_SETTLING_NANOS = 2 * SECOND_NANOS;
    /** A back end that has told that it leaves may get streams for so long: its directors have to be told first. */
    private static final long LATE_NANOS = 5 * SECOND_NANOS;
    /** After so long no other front-end is waited for before what none of them wants is taken away. */
    private static final long SETTLED_NANOS = 5 * SECOND_NANOS;

    private final Path data;
    private final String instance = String.format("%016x", new SecureRandom().nextLong());
    private final AtomicLong sequence = new AtomicLong();
    private final Registrar registrar = new Registrar(this::report, this::answered);
    private volatile ClusterSettings settings;
    private volatile boolean leaving;
    private volatile boolean stopping;
    private volatile long leavingSince;
    private volatile long configuredAt;
    private volatile Set<VirtualAddress> wanted = Set.of();
    private volatile HealthListener health;
    private volatile LoadMeter load;
    private volatile VirtualSetup setup;
    private volatile ScheduledExecutorService thread;
    private Streams streams;
    private ServiceRegistry services;
    private InetSocketAddress address;
    private boolean open;

    /** @param data the node's directory: what is set up is written down there, so that it is taken away also after a crash */
    public ClusterMember(Path data) {
        this.data = data;
    }

    /**
     * The node takes streams: what a predecessor left on this machine is taken away, and the node registers if it is to.
     *
     * @param at where streams come in
     * @throws AnepException EE-502
     */
    public synchronized void open(Streams running, ServiceRegistry registry, InetSocketAddress at) {
        streams = running;
        services = registry;
        address = at;
        open = true;
        VirtualSetup.takeAwayLeftovers(data);
        if (settings != null) {
            begin(settings);
        }
    }

    /**
     * What holds from now on; before the node takes streams it is only kept.
     *
     * @param changed null for no cluster
     * @throws AnepException EE-502; nothing has changed then
     */
    public synchronized void configure(ClusterSettings changed) {
        if (!open || Objects.equals(changed, settings)) {
            settings = changed;
        } else if (changed == null) {
            end();
        } else {
            begin(changed);
        }
    }

    /** What holds now; null for no cluster. */
    public ClusterSettings settings() {
        return settings;
    }

    /** Whether a director spreads streams for an address over nodes of which this is one. */
    public boolean serves(InetSocketAddress virtual) {
        return settings != null && registrar.all().stream().map(each -> each.contact().view().welcome())
                .anyMatch(welcome -> welcome != null && Welcomes.isFor(welcome, virtual));
    }

    private void begin(ClusterSettings now) {
        HealthListener before = health;
        if (before == null || !before.isAt(now.health())) {
            health = new HealthListener(now.health(), this::health);
        }
        settings = now;
        if (thread == null) {
            load = new LoadMeter(streams);
            setup = new VirtualSetup(data, address.getPort(), streams::listenAlso);
            thread = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread made = new Thread(task, "tamanoir-cluster");
                made.setDaemon(true);
                return made;
            });
            thread.scheduleWithFixedDelay(this::setUp, 1, 1, TimeUnit.SECONDS);
        }
        setup.machine(now.address(), now.replyVia(), now.frontends());
        configuredAt = System.nanoTime();
        registrar.configure(now);
        registrar.hurry();
        if (before != null && before != health) {
            before.close();
        }
    }

    private void end() {
        registrar.close();
        settings = null;
        if (thread != null) {
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
        }
        wanted = Set.of();
        if (health != null) {
            health.close();
            health = null;
        }
    }

    // Reports.

    private Report report() {
        ClusterSettings now = settings;
        HealthListener listener = health;
        LoadMeter meter = load;
        if (now == null || listener == null || meter == null) {
            throw new AnepException(ErrorCode.STOPPING, "the node is in no cluster any more");
        }
        return new Report(now.name(), instance, sequence.incrementAndGet(), Addresses.text(now.address()), address.getPort(),
                listener.address().getPort(), now.pool(), isLeaving() ? State.LEAVING : State.SERVING, running(), meter.load());
    }

    private List<Report.Service> running() {
        return services.all().stream().filter(each -> services.find(each.typeId()) == each)
                .sorted(Comparator.comparing(RunningService::name))
                .map(each -> new Report.Service(each.name(), each.typeId(), each.version(), each.level().name().toLowerCase(Locale.ROOT),
                        each.affinity())).toList();
    }

    private boolean isLeaving() {
        return leaving || stopping;
    }

    // The machine.

    /** A front-end has answered. */
    private void answered() {
        if (!wantedNow().equals(wanted)) {
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

    /** What the front-ends want together; until each of them has had its time to say, also what was wanted before. */
    private Set<VirtualAddress> wantedNow() {
        Set<VirtualAddress> all = new HashSet<>();
        boolean settled = true;
        for (Frontend each : registrar.all()) {
            Contact.View view = each.contact().view();
            settled &= view.welcome() != null;
            if (view.welcome() != null) {
                all.addAll(Welcomes.wanted(view.welcome()));
            }
        }
        if (!settled && System.nanoTime() - configuredAt < SETTLED_NANOS) {
            all.addAll(wanted);
        }
        return all;
    }

    private void setUp() {
        VirtualSetup machine = setup;
        if (machine != null) {
            try {
                wanted = wantedNow();
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
        List<Frontend> answering = registrar.all().stream().filter(each -> each.contact().answers()).toList();
        boolean known = !answering.isEmpty() && answering.stream().allMatch(each -> each.contact().knowsLeaving());
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
        long period = registrar.all().stream().mapToLong(each -> each.contact().periodNanos()).max().orElse(0);
        slept(Math.min(MOST_SETTLING_NANOS, period) / 1_000_000);
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
                : MemberStatus.of(now, instance, address.getPort(), listener.address(), stopping ? "stopping" : leaving ? "leaving" : "serving",
                        health(), registrar.all(), machine, meter.load());
    }

    @Override
    public synchronized void close() {
        if (open) {
            open = false;
            end();
        }
    }
}
