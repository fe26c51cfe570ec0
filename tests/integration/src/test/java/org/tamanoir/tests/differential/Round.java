package org.tamanoir.tests.differential;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.tamanoir.kernel.Kernel;
import org.tamanoir.kernel.Kernel.Ran;
import org.tamanoir.kernel.KernelFlow;
import org.tamanoir.kernel.KernelOptions;
import org.tamanoir.kernel.KernelStatistics;
import org.tamanoir.kernel.RuleOutcome;
import org.tamanoir.node.offload.LiveRule;
import org.tamanoir.node.offload.PacketFacts;
import org.tamanoir.node.offload.RuleTable;
import org.tamanoir.service.Transport;
import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.RuleCounters;

/**
 * Random rules and datagrams of one seed, through the kernel's program and through the node's own engine. What the kernel does not finish
 * is given to it again as the node would, by way of the same rule. Ends with an exception at the first difference.
 */
final class Round implements AutoCloseable {
    private static final String OWNER = "random";
    private static final int RULES = 48;
    private static final int FLOWS = 256;
    private static final int NEXT = -1;
    private static final int SHOT = 2;
    private static final int REDIRECT = 7;
    private static final long NODE_ID = 0xA1A2A3A4A5A6A7A8L;
    private static final int CODE_PORT = 3324;

    private final long seed;
    private final Random random;
    private final Pool pool;
    private final RandomRules randomRules;
    private final RandomPackets randomPackets;
    private final NetworkInterface near;
    private final NetworkInterface far;
    /** A frame to another address than its interface's is not for this host. */
    private final byte[] nearMac;
    private final byte[] farMac;
    private final Tally tally;
    private final Kernel kernel;
    private final RuleTable table = new RuleTable(RULES);
    private final PacketFacts facts = new PacketFacts();
    private final int[] priorities = new int[RULES];
    private final LightRule[] rules = new LightRule[RULES];
    private final Flow[] flows = new Flow[FLOWS];
    private final Map<Flow.Key, Flow> flowsByKey = new HashMap<>();
    private final List<Long> finished = new ArrayList<>(List.of(0L, 0L, 0L));
    private int nextPriority;
    private long nanos = 1;

    Round(long seed, NetworkInterface near, NetworkInterface far, Tally tally) throws SocketException {
        this.seed = seed;
        this.near = near;
        this.far = far;
        this.tally = tally;
        nearMac = near.getHardwareAddress();
        farMac = far.getHardwareAddress();
        random = new Random(seed);
        pool = new Pool(random);
        randomRules = new RandomRules(random, pool);
        randomPackets = new RandomPackets(random, pool);
        kernel = Kernel.open(new KernelOptions(NODE_ID, Pool.NODE_PORT, CODE_PORT, RULES, FLOWS, true));
        for (InetAddress address : pool.nodes()) {
            kernel.addAddress(address);
        }
        kernel.clock(nanos);
        for (int slot = 0; slot < RULES; slot++) {
            put(slot);
        }
    }

    void run(int packets) {
        for (int i = 0; i < packets; i++) {
            tally.packets++;
            nanos += random.nextInt(10_000) == 0 ? 3_600_000_000_000L : random.nextInt(2_000_000);
            kernel.clock(nanos);
            if (random.nextInt(200) == 0) {
                change();
            }
            Flow flow = flows[random.nextInt(FLOWS)];
            if (random.nextInt(5) == 0 && flow != null) {
                answer(randomPackets.next(farMac, flow.kernel.next(), flow.kernel.local()), flow);
            } else {
                request(randomPackets.next(nearMac));
            }
        }
        compareCounters();
    }

    private void request(Datagram datagram) {
        Expectation expected = new Expectation(datagram);
        byte[] frame = datagram.frame();
        Ran ran = kernel.run(near.getIndex(), frame);
        boolean toNode = Arrays.asList(pool.nodes()).contains(datagram.destination.getAddress()) && datagram.destination.getPort() == Pool.NODE_PORT;
        LiveRule rule = toNode && expected.packet != null ? table.find(facts.read(expected.packet, datagram.source.getAddress())) : null;
        Flow.Key key = expected.plain ? new Flow.Key(datagram.source, expected.packet.typeId(), expected.stream()) : null;
        Flow flow = flowsByKey.get(key);
        boolean mayFinish = rule != null && expected.plain && expected.hasHops() && rule.rule().isFinal();
        if (mayFinish && rule.rule().forwards()) {
            mayFinish = flow != null && Objects.equals(flow.kernel.target(), rule.target()) && expected.fits();
        }
        if (rule == null) {
            demand(ran.verdict() == NEXT && Arrays.equals(frame, ran.frame()), "goes on as it came", frame, ran);
            tally.up++;
            return;
        }
        Colour arrived = Colour.ofDscp(datagram.trafficClass >> 2);
        RuleOutcome done = rule.run(Transport.UDP, datagram.ipOctets(), arrived, nanos);
        if (!mayFinish) {
            demand(ran.verdict() == NEXT && Arrays.equals(frame, ran.frame()), "goes up as it came", frame, ran);
            RuleOutcome applied = kernel.apply(slot(rule), datagram.ipOctets(), arrived);
            demand(applied.equals(done), "is applied as " + done + ", not " + applied + ", by " + rule.rule(), frame, ran);
            tally.applied++;
            if (done.kind() == RuleOutcome.Kind.FORWARD && key != null && expected.hasHops() && random.nextInt(4) > 0) {
                open(key, rule.target());
            }
        } else if (done.kind() == RuleOutcome.Kind.DROP) {
            demand(ran.verdict() == SHOT, "is dropped by " + rule.rule(), frame, ran);
            count(0);
            tally.dropped++;
        } else {
            byte[] out = expected.forwarded(flow, done.dscp(), NODE_ID, CODE_PORT).frame();
            demand(ran.verdict() == REDIRECT && Arrays.equals(out, ran.frame()), "is forwarded by " + rule.rule() + " as\n" + hex(out), frame, ran);
            flow.sent(datagram);
            count(1);
            tally.forwarded++;
        }
    }

    private void answer(Datagram datagram, Flow flow) {
        Expectation expected = new Expectation(datagram);
        byte[] frame = datagram.frame();
        Ran ran = kernel.run(far.getIndex(), frame);
        if (expected.plain && flow.used != null && expected.fits()) {
            byte[] out = expected.answered(flow).frame();
            demand(ran.verdict() == REDIRECT && Arrays.equals(out, ran.frame()), "is brought back as\n" + hex(out), frame, ran);
            flow.answered(datagram);
            count(2);
            tally.answered++;
        } else {
            demand(ran.verdict() == NEXT && Arrays.equals(frame, ran.frame()), "goes up as it came", frame, ran);
            tally.up++;
        }
    }

    private void open(Flow.Key key, InetSocketAddress target) {
        Flow before = flowsByKey.get(key);
        int slot = before != null ? before.slot : random.nextInt(FLOWS);
        close(slot);
        boolean six = key.sender().getAddress().getAddress().length == 16;
        Flow flow = new Flow(slot, new KernelFlow(key.sender(), pool.next(six), pool.local(six, slot), key.typeId(), key.stream(), target,
                false));
        kernel.putFlow(slot, flow.kernel);
        flows[slot] = flow;
        flowsByKey.put(key, flow);
    }

    private void close(int slot) {
        Flow flow = flows[slot];
        if (flow != null) {
            compare(flow);
            kernel.removeFlow(slot);
            flowsByKey.remove(new Flow.Key(flow.kernel.sender(), flow.kernel.typeId(), flow.kernel.streamId()));
            flows[slot] = null;
        }
    }

    /** Replaces a rule, or takes it away and puts another one in its slot. */
    private void change() {
        int slot = random.nextInt(RULES);
        if (random.nextBoolean()) {
            compare(slot);
            table.remove(OWNER, name(slot));
            kernel.remove(slot);
            rules[slot] = null;
        }
        put(slot);
    }

    private void put(int slot) {
        LightRule rule = randomRules.next(name(slot));
        if (rules[slot] == null) {
            priorities[slot] = nextPriority++;
        } else if (random.nextInt(3) == 0) {
            // The same actions: the meter goes on.
            rule = new LightRule(rule.name(), rule.match(), rules[slot].actions());
        }
        rules[slot] = rule;
        table.put(OWNER, rule);
        kernel.put(slot, priorities[slot], rule);
    }

    private void compareCounters() {
        for (int slot = 0; slot < RULES; slot++) {
            compare(slot);
        }
        for (Flow flow : flowsByKey.values()) {
            compare(flow);
        }
        KernelStatistics statistics = kernel.statistics();
        List<Long> counted = List.of(statistics.dropped(), statistics.forwarded(), statistics.answered());
        long sum = statistics.dropped() + statistics.forwarded() + statistics.answered() + statistics.upInAll();
        if (!counted.equals(finished) || sum != statistics.seen()) {
            throw new AssertionError("seed " + seed + ": " + statistics + " instead of dropped, forwarded, answered " + finished);
        }
    }

    private void compare(int slot) {
        RuleCounters node = table.counters(OWNER, name(slot));
        RuleCounters there = kernel.counters(slot);
        if (!node.equals(there)) {
            throw new AssertionError("seed " + seed + ": " + rules[slot] + " counted " + there + " in the kernel and " + node + " in the node");
        }
    }

    private void compare(Flow flow) {
        if (!flow.isCounted(kernel.flow(flow.slot))) {
            throw new AssertionError("seed " + seed + ": " + flow.kernel + " has " + kernel.flow(flow.slot));
        }
    }

    private void count(int what) {
        finished.set(what, finished.get(what) + 1);
    }

    private void demand(boolean agreed, String expectation, byte[] frame, Ran ran) {
        if (!agreed) {
            throw new AssertionError("seed " + seed + ", packet " + tally.packets + "\n" + hex(frame) + "\n" + expectation
                    + "\nbut the kernel says " + ran.verdict() + " with\n" + hex(ran.frame()));
        }
    }

    private static String hex(byte[] octets) {
        return HexFormat.of().formatHex(octets);
    }

    private static String name(int slot) {
        return "r" + slot;
    }

    private static int slot(LiveRule rule) {
        return Integer.parseInt(rule.rule().name().substring(1));
    }

    @Override
    public void close() {
        kernel.close();
    }
}
