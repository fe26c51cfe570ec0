package org.tamanoir.node.offload;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.kernel.Feature;
import org.tamanoir.kernel.Kernel;
import org.tamanoir.kernel.KernelProbe;
import org.tamanoir.kernel.LightConnections;
import org.tamanoir.kernel.LightConnections.ConnectionCounters;
import org.tamanoir.kernel.LightConnections.LightConnection;
import org.tamanoir.service.rule.Prefix;

/** Light TCP streams in the kernel: connections to the light port, forwarded by nftables where that is possible. Safe for all threads. */
public final class LightPath {
    private static final Logger LOG = LoggerFactory.getLogger(LightPath.class);

    private final ConcurrentMap<String, LightCounts> node = new ConcurrentHashMap<>();
    private InetSocketAddress address;
    private List<LightTarget> targets = List.of();
    private LightConnections connections;
    private KernelProbe probe;
    private String why = "the kernel is not used";

    /** Where they come in, null for nowhere, and where they go. */
    synchronized void configure(InetSocketAddress light, List<LightTarget> to) {
        address = light;
        targets = to;
        apply();
    }

    /** The kernel can be asked from now on. @param port of the node, which names the table */
    synchronized void begin(Kernel kernel, int port, KernelProbe found) {
        connections = new LightConnections(kernel, port);
        probe = found;
        apply();
    }

    /** The kernel is not asked any more; closing it has taken the table away. */
    synchronized void end(String because) {
        connections = null;
        why = because;
    }

    private void apply() {
        if (connections == null) {
            return;
        }
        why = reason();
        try {
            connections.replace(why != null ? List.of() : targets.stream()
                    .map(target -> new LightConnection(target.name(), target.source(), address, target.to(), target.dscp())).toList());
        } catch (AnepException e) {
            why = e.text();
        }
        if (why != null && !targets.isEmpty()) {
            LOG.warn("{} light TCP streams are carried by the node: {}", ErrorCode.KERNEL, why);
        }
    }

    private String reason() {
        if (address == null || targets.isEmpty()) {
            return "no light connections are configured";
        }
        if (probe.missing(Feature.NFT).isPresent()) {
            return probe.missing(Feature.NFT).get();
        }
        boolean six = targets.stream().anyMatch(target -> target.to().getAddress().getAddress().length != 4);
        boolean four = targets.stream().anyMatch(target -> target.to().getAddress().getAddress().length == 4);
        if (four && probe.missing(Feature.FORWARD4).isPresent()) {
            return probe.missing(Feature.FORWARD4).get();
        }
        return six ? probe.missing(Feature.FORWARD6).orElse(null) : null;
    }

    /** Why the kernel does not forward them; null if it does. */
    public synchronized String whyNot() {
        return why;
    }

    /** The counters of what the node carries of a connection. */
    public LightCounts inNode(String name) {
        return node.computeIfAbsent(name, unused -> new LightCounts());
    }

    /**
     * What each connection of the configuration has carried, by its name.
     *
     * @param connections that began
     * @param octets      to the next hop: of IP packets in the kernel, of the stream in the node
     * @param backOctets  back
     */
    public record Carried(long connections, long octets, long backOctets) {
    }

    /** What the kernel and the node together have carried. */
    public synchronized Map<String, Carried> counters() {
        Map<String, ConnectionCounters> kernel;
        try {
            kernel = connections == null ? Map.of() : connections.counters();
        } catch (AnepException e) {
            kernel = Map.of();
        }
        Map<String, Carried> sums = new TreeMap<>();
        for (LightTarget target : targets) {
            LightCounts here = inNode(target.name());
            ConnectionCounters there = kernel.getOrDefault(target.name(), new ConnectionCounters(0, 0, 0, 0, 0));
            sums.put(target.name(), new Carried(here.connections.sum() + there.connections(), here.octets.sum() + there.octets(),
                    here.backOctets.sum() + there.backOctets()));
        }
        return sums;
    }

    /** What the node itself has carried of one light connection of the configuration. */
    public static final class LightCounts {
        final LongAdder connections = new LongAdder();
        final LongAdder octets = new LongAdder();
        final LongAdder backOctets = new LongAdder();

        /** A connection has begun. */
        public void opened() {
            connections.increment();
        }

        /** Octets of the stream have passed, to the next hop and back. */
        public void carried(long to, long back) {
            octets.add(to);
            backOctets.add(back);
        }
    }

    /**
     * Where connections to the port of light streams go.
     *
     * @param name   of the entry in the configuration
     * @param source prefix of the sources that it is for; null for every source
     * @param to     the next hop
     * @param dscp   the code point of their packets, 0 to 63; null: as they come
     */
    public record LightTarget(String name, Prefix source, InetSocketAddress to, Integer dscp) {
        /** Whether connections from an address go there. */
        public boolean isFor(InetAddress address) {
            return source == null || source.contains(address);
        }
    }
}
