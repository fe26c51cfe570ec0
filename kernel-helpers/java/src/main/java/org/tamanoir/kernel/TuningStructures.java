package org.tamanoir.kernel;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.tamanoir.kernel.TuningRule.Classes;
import org.tamanoir.kernel.TuningRule.Ports;
import org.tamanoir.service.rule.Prefix;

/** The structures of {@code tamanoir_tune.h} as octets. */
final class TuningStructures {
    static final int RULE = 120;
    static final int FLOW = 104;
    /** Numbers of 64 bits in {@code struct tam_tune_counts}. */
    static final int COUNTS = 3;
    private static final int NAME = 16;
    /** {@code enum tam_tune_marking}. */
    private static final int MESSAGE = 1;
    private static final int BULK = 2;
    private static final double PART = 1_000_000;

    private TuningStructures() {
    }

    /** {@code struct tam_tune_rule}, one behind the other. */
    static byte[] of(List<TuningRule> rules) {
        ByteBuffer to = ByteBuffer.allocate(rules.size() * RULE).order(ByteOrder.nativeOrder());
        for (TuningRule rule : rules) {
            prefix(to, rule.remote());
            prefix(to, rule.local());
            ports(to, rule.remotePorts());
            ports(to, rule.localPorts());
            to.putInt(rule.number()).putInt(rule.ai()).putInt((int) Math.round(rule.md() * PART)).putInt(rule.maxSsthresh()).putInt((int) rule.pacing());
            to.putInt(rule.classes() == null ? 0 : rule.classes().bulk() ? BULK : MESSAGE);
            byte[] name = rule.congestion().getBytes(StandardCharsets.US_ASCII);
            if (name.length >= NAME) {
                throw new IllegalArgumentException("the name of an algorithm has at most " + (NAME - 1) + " characters: " + rule.congestion());
            }
            to.put(name).position(to.position() + NAME - name.length);
            classes(to, rule.classes());
        }
        return to.array();
    }

    private static void prefix(ByteBuffer to, Prefix prefix) {
        byte[] mask = new byte[Addresses.OCTETS];
        if (prefix == null) {
            to.put(mask).put(mask);
            return;
        }
        byte[] octets = Addresses.toOctets(prefix.network());
        int bits = prefix.length() + (prefix.network().getAddress().length == Addresses.OCTETS ? 0 : Addresses.MAPPED_BITS);
        for (int bit = 0; bit < bits; bit++) {
            mask[bit >> 3] |= (byte) (0x80 >> (bit & 7));
        }
        to.put(octets).put(mask);
    }

    private static void classes(ByteBuffer to, Classes classes) {
        byte[] codePoints = new byte[Classes.MOST];
        for (int i = 0; classes != null && i < classes.codePoints().size(); i++) {
            codePoints[i] = classes.codePoints().get(i).byteValue();
        }
        to.put((byte) (classes == null ? 0 : classes.codePoints().size())).put((byte) (classes == null ? 0 : classes.base())).put(codePoints);
    }

    private static void ports(ByteBuffer to, Ports ports) {
        to.putShort((short) ports.first()).putShort((short) ports.last());
    }

    /** {@code struct tam_tune_flow}, the one with this number. */
    static TunedFlow flow(ByteBuffer flows, int number) {
        ByteBuffer from = flows.duplicate().order(ByteOrder.nativeOrder()).position(number * FLOW);
        byte[] remote = new byte[Addresses.OCTETS];
        byte[] local = new byte[Addresses.OCTETS];
        from.get(remote).get(local);
        InetSocketAddress far = new InetSocketAddress(Addresses.of(remote), from.getShort() & 0xFFFF);
        InetSocketAddress near = new InetSocketAddress(Addresses.of(local), from.getShort() & 0xFFFF);
        return new TunedFlow(near, far, from.getInt(), from.getInt(), from.getInt(), from.getInt(), from.getInt(), from.getLong(), name(from), name(from), from.getInt() != 0, from.getInt());
    }

    private static String name(ByteBuffer from) {
        byte[] name = new byte[NAME];
        from.get(name);
        return Structures.text(name);
    }
}
