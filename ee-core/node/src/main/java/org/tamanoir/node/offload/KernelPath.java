package org.tamanoir.node.offload;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.kernel.Feature;
import org.tamanoir.kernel.Kernel;
import org.tamanoir.kernel.KernelFlow;
import org.tamanoir.kernel.KernelOptions;
import org.tamanoir.kernel.KernelProbe;
import org.tamanoir.kernel.KernelStatistics;

/**
 * The kernel path of a node: begins it, keeps it attached while interfaces come and go, and says why there is none. It starts beside
 * the node, on a thread of its own: until it is there, and whenever it is not, the node runs the rules.
 */
public final class KernelPath implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KernelPath.class);
    private static final Duration SCAN = Duration.ofSeconds(1);
    private static final int STOP_SECONDS = 5;

    /** Everything that exists while the kernel is used. */
    private record Use(Kernel kernel, KernelInterfaces interfaces, KernelFlows flows) {
    }

    private final KernelSettings settings;
    private final RuleTable rules;
    private final AtomicLong generation = new AtomicLong();
    private final CountDownLatch begun = new CountDownLatch(1);
    private volatile Use use;
    private volatile KernelProbe probe;
    private volatile String why = "the node has not looked at the kernel yet";
    private volatile boolean closed;
    private volatile KernelMirror mirror;
    private final LightPath light = new LightPath();
    private final FloodedTypes refusals = new FloodedTypes();
    private Thread thread;

    KernelPath(KernelSettings settings, RuleTable rules) {
        this.settings = settings;
        this.rules = rules;
    }

    void start(InetSocketAddress address, long nodeId, int codePort) {
        if (settings.use() == KernelSettings.Use.OFF) {
            why = "the configuration says kernel: use: off";
            begun.countDown();
            return;
        }
        if (address.getAddress().isLoopbackAddress() && settings.use() == KernelSettings.Use.AUTO) {
            why = "this node listens on loopback only, and packets of this host cross no interface";
            begun.countDown();
            return;
        }
        KernelOptions options = new KernelOptions(nodeId, address.getPort(), codePort, settings.rules(), settings.flows(), false);
        thread = new Thread(() -> run(options, address), "tamanoir-kernel");
        thread.setDaemon(true);
        thread.start();
        if (settings.use() == KernelSettings.Use.REQUIRED) {
            awaitBegun();
            if (use == null) {
                throw new AnepException(ErrorCode.KERNEL, "the configuration requires the kernel path: " + why);
            }
        }
    }

    /** Waits until the kernel is used, or it is known why not. */
    public void awaitBegun() {
        try {
            begun.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(KernelOptions options, InetSocketAddress address) {
        try {
            begin(options, address);
        } catch (AnepException e) {
            why = e.text();
        } catch (RuntimeException | LinkageError e) {
            why = e.toString();
            LOG.warn("the kernel path failed to start", e);
        }
        synchronized (this) {
            begun.countDown();
            if (use != null) {
                why = null;
            } else if (!closed) {
                LOG.warn("{} light services run in the node: {}", ErrorCode.KERNEL, why);
            }
        }
        while (use != null && !closed) {
            follow();
        }
    }

    /** What is used, once it has every rule: what comes before that finds none of them. */
    private Use inForce() {
        return begun.getCount() == 0 ? use : null;
    }

    private void begin(KernelOptions options, InetSocketAddress address) {
        KernelProbe found = KernelProbe.of();
        probe = found;
        String lacking = KernelHelp.missing(found);
        if (lacking != null) {
            why = lacking;
            return;
        }
        Kernel kernel = Kernel.open(options);
        try {
            KernelInterfaces interfaces = new KernelInterfaces(kernel, settings, address.getAddress());
            interfaces.scan();
            synchronized (this) {
                if (closed) {
                    kernel.close();
                    return;
                }
                why = "the kernel is being told the rules";
                use = new Use(kernel, interfaces, new KernelFlows(kernel, settings.flows()));
            }
            mirror = new KernelMirror(kernel, this::broken);
            rules.mirror(mirror);
            light.begin(kernel, options.port(), found);
            refusals.kernel(settings.xdp().isEmpty() ? null : kernel);
            generation.incrementAndGet();
            LOG.info("light services run in the kernel: {}", interfaces.state());
        } catch (RuntimeException e) {
            kernel.close();
            throw e;
        }
    }

    private void follow() {
        Use now = use;
        try {
            now.kernel().event(SCAN);
            refusals.tick(System.nanoTime());
            if (now.interfaces().scan()) {
                generation.incrementAndGet();
            }
        } catch (AnepException e) {
            if (!closed) {
                broken(e);
            }
        }
    }

    /** The kernel has not taken what the node has: from here on only the node runs rules. */
    private void broken(AnepException cause) {
        Use old;
        synchronized (this) {
            old = use;
            use = null;
            why = cause.text();
        }
        if (old != null && !closed) {
            light.end(why);
            refusals.kernel(null);
            LOG.warn("{} light services run in the node from now on: {}", ErrorCode.KERNEL, cause.getMessage());
            // Not on this call's thread: it may hold the table.
            Thread stop = new Thread(() -> {
                rules.mirror(null);
                old.kernel().close();
            }, "tamanoir-kernel-stop");
            stop.setDaemon(true);
            stop.start();
        }
        generation.incrementAndGet();
    }

    /** Datagrams could not be served because nobody has their service. */
    public void refused(int typeId, long datagrams) {
        refusals.refused(typeId, datagrams, System.nanoTime());
    }

    /** Datagrams of this Type ID are served from now on. */
    void served(int typeId) {
        refusals.served(typeId);
    }

    /** Light TCP streams in the kernel. */
    public LightPath light() {
        return light;
    }

    long generation() {
        return inForce() == null ? -1 : generation.get();
    }

    /** See {@link Offload#open}. */
    Flow open(InetSocketAddress sender, InetSocketAddress next, InetSocketAddress local, int typeId, Long streamId, InetSocketAddress target) {
        Use now = inForce();
        if (now == null || reasonAgainst(now, sender, next) != null) {
            return null;
        }
        return now.flows().open(new KernelFlow(sender, next, local, typeId, streamId, target, true));
    }

    /** Why the kernel does not carry datagrams from a sender to a next hop; null if nothing is against it. */
    public String reasonAgainst(InetSocketAddress sender, InetSocketAddress next) {
        Use now = inForce();
        return now == null ? why : reasonAgainst(now, sender, next);
    }

    private static String reasonAgainst(Use now, InetSocketAddress sender, InetSocketAddress next) {
        if (now.interfaces().isLocal(sender.getAddress())) {
            return "the sender is on this host: its packets cross no interface";
        }
        if (now.interfaces().isLocal(next.getAddress())) {
            return "the next hop is on this host: its packets leave by no interface";
        }
        if (sender.getAddress().getAddress().length != next.getAddress().getAddress().length) {
            return "the sender and the next hop are of different IP versions";
        }
        if (!now.interfaces().forwards(next.getAddress())) {
            return next.getAddress().getAddress().length == 4
                    ? "this host does not forward IPv4; sysctl -w net.ipv4.ip_forward=1 lets it"
                    : "this host does not forward IPv6; sysctl -w net.ipv6.conf.all.forwarding=1 lets it";
        }
        return now.interfaces().any() ? null : "no interface is attached: " + now.interfaces().state();
    }

    /** Whether the kernel is used. */
    public boolean isUsed() {
        return inForce() != null;
    }

    /** Why the kernel is not used; null if it is. */
    public String whyNot() {
        return why;
    }

    /** Why no rule is run on packets that the host forwards; null if they are, or nothing is against it. */
    String passingWhyNot() {
        KernelMirror asked = mirror;
        return inForce() == null ? why : asked == null ? null : asked.passingWhyNot();
    }

    /** What an operator is told of it. */
    public Map<String, Object> status() {
        Use now = inForce();
        Map<String, Object> status = new TreeMap<>();
        status.put("used", now != null);
        if (now == null) {
            status.put("because", why);
        } else {
            status.put("interfaces", now.interfaces().state());
            status.put("flows", now.flows().count());
            status.put("lightBecause", light.whyNot());
            status.put("refused", refusals.now());
        }
        KernelProbe found = probe;
        if (found != null && found.library() == null) {
            Map<String, String> features = new TreeMap<>();
            for (Feature feature : Feature.values()) {
                features.put(feature.name().toLowerCase(java.util.Locale.ROOT), found.missing(feature).orElse("yes"));
            }
            status.put("features", features);
        }
        return status;
    }

    /** What the kernel has counted; null if it is not used. */
    public KernelStatistics statistics() {
        Use now = inForce();
        try {
            return now == null ? null : now.kernel().statistics();
        } catch (AnepException e) {
            return null;
        }
    }

    @Override
    public void close() {
        Use old;
        synchronized (this) {
            closed = true;
            old = use;
            use = null;
            why = "the node is stopping";
        }
        if (old != null) {
            light.end("the node is stopping");
            refusals.kernel(null);
            rules.mirror(null);
            old.kernel().close();
        }
        if (thread != null) {
            try {
                thread.join(TimeUnit.SECONDS.toMillis(STOP_SECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
