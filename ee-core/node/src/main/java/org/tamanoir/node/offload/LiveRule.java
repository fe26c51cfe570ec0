package org.tamanoir.node.offload;

import java.net.InetSocketAddress;
import java.util.concurrent.atomic.LongAdder;
import org.tamanoir.kernel.RuleOutcome;
import org.tamanoir.service.Transport;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.Action.Count;
import org.tamanoir.service.rule.Action.Drop;
import org.tamanoir.service.rule.Action.Forward;
import org.tamanoir.service.rule.Action.Police;
import org.tamanoir.service.rule.Action.SetDscp;
import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.Marker;
import org.tamanoir.service.rule.Meter;
import org.tamanoir.service.rule.RuleCounters;
import org.tamanoir.service.rule.Treatment;

/**
 * A rule in force, with its counters and meters: the engine of the node. Where the kernel runs the rule too, it keeps the meter of
 * datagrams, and those that come up are metered there: {@link InKernel}. A call of the kernel takes 1 to 3 µs, so what needs no meter is
 * done and counted here; the counters of both are added up.
 */
public final class LiveRule {
    static final LiveRule[] NONE = {};

    /** The same rule in the kernel. */
    interface InKernel {
        /** Runs the rule's actions on a datagram; null if the kernel does not answer. */
        RuleOutcome run(int slot, int octets, Colour arrived);

        /** What it has counted. */
        RuleCounters counters(int slot);
    }

    /** What is counted of a rule; outlives a change of it. */
    private static final class Counts {
        final LongAdder packets = new LongAdder();
        final LongAdder octets = new LongAdder();
        final LongAdder[] colours = {new LongAdder(), new LongAdder(), new LongAdder()};
        final LongAdder dropped = new LongAdder();
        final LongAdder forwarded = new LongAdder();
    }

    private final String owner;
    private final LightRule rule;
    private final long priority;
    private final int slot;
    private final Counts counts;
    private final Marker datagrams;
    private final Marker stream;
    private volatile InKernel kernel;

    /**
     * @param owner    the service, or {@link RuleTable#OPERATOR}
     * @param priority of two rules that match a packet the one with the lower number is run
     * @param slot     its number in the kernel's tables
     * @param before   the rule in whose place it comes, or null
     */
    LiveRule(String owner, LightRule rule, long priority, int slot, LiveRule before) {
        this.owner = owner;
        this.rule = rule;
        this.priority = priority;
        this.slot = slot;
        this.counts = before == null ? new Counts() : before.counts;
        Meter meter = meter(rule);
        boolean same = meter != null && before != null && meter.equals(meter(before.rule));
        this.datagrams = meter == null ? null : same ? before.datagrams : Marker.of(meter);
        this.stream = meter == null ? null : same ? before.stream : Marker.of(meter);
    }

    private static Meter meter(LightRule rule) {
        Police police = rule.action(Police.class);
        return police == null ? null : police.meter();
    }

    /** The service whose rule it is, or {@link RuleTable#OPERATOR}. */
    public String owner() {
        return owner;
    }

    public LightRule rule() {
        return rule;
    }

    /** The next hop that the rule names, or null for the one that the route names. */
    public InetSocketAddress target() {
        return rule.last() instanceof Forward forward ? forward.to() : null;
    }

    long priority() {
        return priority;
    }

    int slot() {
        return slot;
    }

    /** Whether the kernel runs it. */
    public boolean isInKernel() {
        return kernel != null;
    }

    /** The kernel runs it from now on, or does not any more (null). */
    void inKernel(InKernel engine) {
        if (engine == null && kernel != null) {
            add(kernel.counters(slot));
        }
        kernel = engine;
    }

    private void add(RuleCounters more) {
        counts.packets.add(more.packets());
        counts.octets.add(more.octets());
        counts.colours[0].add(more.green());
        counts.colours[1].add(more.yellow());
        counts.colours[2].add(more.red());
        counts.dropped.add(more.dropped());
        counts.forwarded.add(more.forwarded());
    }

    /**
     * Runs the actions on a packet.
     *
     * @param octets  of the IP packet, on TCP of the ANEP packet
     * @param arrived the colour that it came with, if that is known; otherwise green
     * @param nanos   the time, {@link System#nanoTime()}
     */
    public RuleOutcome run(Transport transport, int octets, Colour arrived, long nanos) {
        InKernel engine = kernel;
        if (engine != null && transport == Transport.UDP && datagrams != null) {
            RuleOutcome done = engine.run(slot, octets, arrived);
            if (done != null) {
                return done;
            }
        }
        int dscp = -1;
        for (int i = 0; i < rule.actions().size(); i++) {
            Action action = rule.actions().get(i);
            if (action instanceof Count) {
                counts.packets.increment();
                counts.octets.add(octets);
            } else if (action instanceof SetDscp set) {
                dscp = set.dscp();
            } else if (action instanceof Police police) {
                Treatment treatment = metered(police, transport, octets, arrived, nanos);
                if (treatment.kind() == Treatment.Kind.DROP) {
                    return dropped();
                }
                dscp = treatment.kind() == Treatment.Kind.MARK ? treatment.dscp() : dscp;
            } else if (action instanceof Drop) {
                return dropped();
            } else if (action instanceof Forward) {
                counts.forwarded.increment();
                return RuleOutcome.of(RuleOutcome.Kind.FORWARD, dscp);
            }
        }
        return RuleOutcome.of(RuleOutcome.Kind.UP, dscp);
    }

    private Treatment metered(Police police, Transport transport, int octets, Colour arrived, long nanos) {
        Marker marker = transport == Transport.UDP ? datagrams : stream;
        Colour colour;
        synchronized (marker) {
            colour = marker.colour(nanos, octets, police.colourAware() ? arrived : Colour.GREEN);
        }
        counts.colours[colour.ordinal()].increment();
        return police.of(colour);
    }

    private RuleOutcome dropped() {
        counts.dropped.increment();
        return RuleOutcome.of(RuleOutcome.Kind.DROP, -1);
    }

    /** What it has seen, in the node and in the kernel. */
    public RuleCounters counters() {
        RuleCounters here = inNode();
        InKernel engine = kernel;
        return engine == null ? here : here.plus(engine.counters(slot));
    }

    /** What it has seen in the node, and in a kernel that does not run it any more. */
    RuleCounters inNode() {
        return new RuleCounters(counts.packets.sum(), counts.octets.sum(), counts.colours[0].sum(), counts.colours[1].sum(),
                counts.colours[2].sum(), counts.dropped.sum(), counts.forwarded.sum());
    }

    @Override
    public String toString() {
        return owner + "/" + rule.name();
    }
}
