package org.tamanoir.kernel;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.tamanoir.kernel.KernelFlow.FlowCounters;
import org.tamanoir.kernel.KernelStatistics.UpReason;
import org.tamanoir.service.rule.RuleCounters;

/** The structures of {@code tamanoir_kernel.h} and {@code tamanoir_shared.h}, written and read field by field in their order. */
final class Structures {
    static final int OPTIONS = 24;
    static final int FLOW = 96;
    static final int RULE_COUNTERS = 56;
    static final int FLOW_COUNTERS = 40;
    static final int STATISTICS = 64 + 8 * UpReason.values().length;
    static final int EVENT = 48;
    static final int PROBE = 4 * Feature.values().length;

    private static final int INTERFACE_NAME = 16;

    private Structures() {
    }

    /** Zeros, in the machine's own octet order. */
    static ByteBuffer allocate(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
    }

    private static ByteBuffer read(byte[] structure) {
        return ByteBuffer.wrap(structure).order(ByteOrder.nativeOrder());
    }

    /** {@code struct tam_options}. */
    static byte[] of(KernelOptions options) {
        return allocate(OPTIONS).putLong(options.nodeId()).putShort((short) options.port()).putShort((short) options.codePort())
                .putInt(options.rules()).putInt(options.flows()).putInt(options.testClock() ? 1 : 0).array();
    }

    /** {@code struct tam_flow}. @param target the number of the next hop that its rules name */
    static byte[] of(KernelFlow flow, int target) {
        ByteBuffer to = allocate(FLOW);
        for (InetSocketAddress end : new InetSocketAddress[] {flow.sender(), flow.next(), flow.local()}) {
            to.put(Addresses.toOctets(end.getAddress()));
        }
        to.putLong(flow.streamId() == null ? 0 : flow.streamId()).putInt(flow.streamId() == null ? 0 : 1);
        to.putShort((short) flow.sender().getPort()).putShort((short) flow.next().getPort()).putShort((short) flow.local().getPort());
        return to.putShort((short) flow.typeId()).putInt(target).putInt(flow.gated() ? 1 : 0).array();
    }

    /** {@code struct tam_rule_counters}. */
    static RuleCounters ruleCounters(byte[] structure) {
        ByteBuffer from = read(structure);
        return new RuleCounters(from.getLong(), from.getLong(), from.getLong(), from.getLong(), from.getLong(), from.getLong(), from.getLong());
    }

    /** {@code struct tam_flow_counters}. */
    static FlowCounters flowCounters(byte[] structure) {
        ByteBuffer from = read(structure);
        return new FlowCounters(from.getLong(), from.getLong(), from.getLong(), from.getLong(), from.getLong());
    }

    /** {@code struct tam_statistics}. */
    static KernelStatistics statistics(byte[] structure) {
        ByteBuffer from = read(structure);
        long seen = from.getLong();
        long forwarded = from.getLong();
        long answered = from.getLong();
        long dropped = from.getLong();
        Map<UpReason, Long> up = new EnumMap<>(UpReason.class);
        for (UpReason reason : UpReason.values()) {
            up.put(reason, from.getLong());
        }
        return new KernelStatistics(seen, forwarded, answered, dropped, Collections.unmodifiableMap(up), from.getLong(), from.getLong(),
                from.getLong(), from.getLong());
    }

    /** {@code struct tam_event}. */
    static KernelEvent event(byte[] structure) {
        ByteBuffer from = read(structure);
        KernelEvent.Kind kind = KernelEvent.Kind.values()[from.getInt() - 1];
        int ifindex = from.getInt();
        byte[] address = new byte[Addresses.OCTETS];
        byte[] name = new byte[INTERFACE_NAME];
        from.get(address).get(name);
        boolean ofAddress = kind == KernelEvent.Kind.ADDRESS_NEW || kind == KernelEvent.Kind.ADDRESS_GONE;
        return new KernelEvent(kind, ifindex, ofAddress ? Addresses.of(address) : null, text(name), from.getInt() != 0);
    }

    /** {@code struct tam_probe}: 0 or a negative errno for each feature. */
    static Map<Feature, Integer> probe(byte[] structure) {
        ByteBuffer from = read(structure);
        Map<Feature, Integer> results = new EnumMap<>(Feature.class);
        for (Feature feature : Feature.values()) {
            results.put(feature, from.getInt());
        }
        return Collections.unmodifiableMap(results);
    }

    /** A C string. */
    static String text(byte[] octets) {
        int end = 0;
        while (end < octets.length && octets[end] != 0) {
            end++;
        }
        return new String(octets, 0, end, StandardCharsets.UTF_8);
    }

    /** A string as C reads it. A 0 within would end it early and is not allowed. */
    static byte[] cString(String text) {
        if (text.indexOf(0) >= 0) {
            throw new IllegalArgumentException("a 0 within the text");
        }
        return (text + "\0").getBytes(StandardCharsets.UTF_8);
    }
}
