package org.tamanoir.kernel;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.kernel.KernelFlow.FlowCounters;
import org.tamanoir.service.rule.Action;
import org.tamanoir.service.rule.Colour;
import org.tamanoir.service.rule.LightRule;
import org.tamanoir.service.rule.RuleCounters;

/**
 * The programs, maps and links of one node in the kernel, and its nftables table. All of it goes when this is closed, and when the process
 * ends in any way; only a clsact filter, on kernels without tcx, needs the close.
 *
 * <p>Safe for all threads. Every method throws {@link AnepException}: EE-601 with the kernel's reason and the remedy, and also after
 * {@link #close}; EE-602 for what is out of range or for an empty slot; EE-603 where a table is full; EE-604 for an interface that is not
 * there. A call costs about a microsecond.
 */
public final class Kernel implements AutoCloseable {
    /** Octets of a message: a sentence, and the verifier's log behind it. */
    private static final int MESSAGE = 64 * 1024;
    private static final int LONGEST_FRAME = 66_000;
    private static final int NFT_OUTPUT = 16 * 1024;
    private static final int GATE_OPEN = -1;

    private final KernelHandle handle;
    private final int slots;
    private final Targets targets;

    private Kernel(KernelHandle handle, int slots) {
        this.handle = handle;
        this.slots = slots;
        this.targets = new Targets(slots);
    }

    /** Loads the programs; nothing is attached yet. */
    public static Kernel open(KernelOptions options) {
        check("port", options.port(), 1, 65_535);
        check("code port", options.codePort(), 0, 65_535);
        KernelLibrary.require();
        byte[] message = new byte[MESSAGE];
        int[] error = new int[1];
        var pointer = KernelNative.tam_open(Structures.of(options), error, message, message.length);
        if (pointer == null) {
            throw refused("the programs cannot be loaded", error[0], message);
        }
        KernelHandle handle = new KernelHandle(pointer);
        // Changes of interfaces are noticed from the first call on.
        handle.call(tam -> KernelNative.tam_event(tam, new byte[Structures.EVENT], 0));
        return new Kernel(handle, options.rules());
    }

    /**
     * Attaches the ingress program of an interface, by tcx or, where the kernel has none, by clsact. It goes with its interface.
     *
     * @param xdp whether packets of {@linkplain #refuse refused} Type IDs, and those whose rule drops them, are dropped by XDP
     */
    public Attachment attach(int ifindex, boolean xdp) {
        byte[] message = new byte[MESSAGE];
        int by = handle.call(tam -> KernelNative.tam_attach(tam, ifindex, xdp ? 1 : 0, message, message.length));
        if (by == -Errno.ENODEV) {
            throw new AnepException(ErrorCode.NO_INTERFACE, "there is no interface number " + ifindex);
        } else if (by < 0) {
            throw refused("interface number " + ifindex + " cannot be attached", by, message);
        }
        return Attachment.of(by);
    }

    /** Takes the program from an interface; nothing happens if it has none, or has gone. */
    public void detach(int ifindex) {
        int error = handle.call(tam -> KernelNative.tam_detach(tam, ifindex));
        if (error != -Errno.ENOENT) {
            check("interface number " + ifindex + " cannot be detached", error);
        }
    }

    /** Whether the program of an interface is attached, and the interface there. */
    public boolean attached(int ifindex) {
        return check("interface number " + ifindex, handle.call(tam -> KernelNative.tam_attached(tam, ifindex))) == 1;
    }

    /** Attaches the netfilter programs for packets that the host forwards, IPv4 and IPv6. */
    public void attachPassing() {
        byte[] message = new byte[MESSAGE];
        int error = handle.call(tam -> KernelNative.tam_attach_passing(tam, message, message.length));
        if (error < 0) {
            throw refused("the programs for packets in passing cannot be attached", error, message);
        }
    }

    /** Adds an address of this node: only packets to one of them, and to its port, are looked at. */
    public void addAddress(InetAddress address) {
        int error = handle.call(tam -> KernelNative.tam_address_add(tam, Addresses.toOctets(address)));
        if (error != -Errno.EEXIST) {
            check("the address " + address.getHostAddress(), error);
        }
    }

    /** Removes an address of this node; nothing happens if it is none. */
    public void removeAddress(InetAddress address) {
        int error = handle.call(tam -> KernelNative.tam_address_remove(tam, Addresses.toOctets(address)));
        if (error != -Errno.ENOENT) {
            check("the address " + address.getHostAddress(), error);
        }
    }

    /**
     * Puts a rule into a slot, or in place of the one there; atomic for each packet. The counters of the slot go on; its meter begins anew,
     * full, if it is another one.
     *
     * @param slot     0 and up, below {@link KernelOptions#rules}
     * @param priority of two rules that match the lower one is run; 0 and up, unique among the rules with the same match
     */
    public void put(int slot, int priority, LightRule rule) {
        checkSlot(slot);
        Action.Forward forward = rule.action(Action.Forward.class);
        byte[] structure = RuleStructure.of(priority, rule, targets.name(slot, forward == null ? null : forward.to()));
        int error = handle.call(tam -> KernelNative.tam_rule_put(tam, slot, structure));
        if (error == -Errno.EEXIST) {
            throw new AnepException(ErrorCode.BAD_RULE, "rule " + rule.name() + ": another one has the same match and the priority " + priority);
        }
        check("rule " + rule.name(), error);
    }

    /** Removes the rule of a slot, and its counters; returns whether there was one. */
    public boolean remove(int slot) {
        checkSlot(slot);
        int error = handle.call(tam -> KernelNative.tam_rule_remove(tam, slot));
        targets.forget(slot);
        return error != -Errno.ENOENT && check("slot " + slot, error) == 0;
    }

    /** What the rule of a slot has seen. */
    public RuleCounters counters(int slot) {
        byte[] structure = new byte[Structures.RULE_COUNTERS];
        check("slot " + slot, handle.call(tam -> KernelNative.tam_rule_read(tam, slot, structure)));
        return Structures.ruleCounters(structure);
    }

    /**
     * Runs the actions of a slot's rule on a packet that came up; meter and counters are those of the kernel.
     *
     * @param octets  length of its IP packet
     * @param arrived the colour that it arrived with
     */
    public RuleOutcome apply(int slot, int octets, Colour arrived) {
        return RuleOutcome.of(check("slot " + slot, handle.call(tam -> KernelNative.tam_rule_apply(tam, slot, octets, arrived.ordinal()))));
    }

    /** Puts a flow into a slot, or in place of the one there. All its addresses are resolved. */
    public void putFlow(int slot, KernelFlow flow) {
        check("Type ID", flow.typeId(), 0, 0xFFFF);
        for (InetSocketAddress end : new InetSocketAddress[] {flow.sender(), flow.next(), flow.local()}) {
            if (end.isUnresolved()) {
                throw new AnepException(ErrorCode.BAD_RULE, "the address " + end + " of a flow is not resolved");
            }
        }
        byte[] structure = Structures.of(flow, targets.number(flow.target()));
        check("flow " + slot, handle.call(tam -> KernelNative.tam_flow_put(tam, slot, structure)));
    }

    /**
     * Packets of a gated flow that have gone up so far; see {@link #handled}.
     *
     * @param back of the answers, rather than of the way there
     * @return 31 bits of it
     */
    public int up(int slot, boolean back) {
        return check("flow " + slot, handle.call(tam -> KernelNative.tam_flow_up(tam, slot, back ? 1 : 0)));
    }

    /**
     * Hands a gated flow over without one packet overtaking another: says that so many packets that went up have been dealt with. If none
     * has gone up since, the kernel carries this direction from the next packet on. The number is asked for with {@link #up} <em>before</em>
     * the socket is read until it is empty.
     */
    public void handled(int slot, boolean back, int up) {
        check("flow " + slot, handle.call(tam -> KernelNative.tam_flow_gate(tam, slot, back ? 1 : 0, up)));
    }

    /** Has the kernel carry both directions of a flow from now on, whatever is on its way through the node. */
    public void open(int slot) {
        check("flow " + slot, handle.call(tam -> KernelNative.tam_flow_gate(tam, slot, 0, GATE_OPEN)));
        check("flow " + slot, handle.call(tam -> KernelNative.tam_flow_gate(tam, slot, 1, GATE_OPEN)));
    }

    /** Removes a flow; returns whether there was one. */
    public boolean removeFlow(int slot) {
        int error = handle.call(tam -> KernelNative.tam_flow_remove(tam, slot));
        return error != -Errno.ENOENT && check("flow " + slot, error) == 0;
    }

    /** What a flow has carried. */
    public FlowCounters flow(int slot) {
        byte[] structure = new byte[Structures.FLOW_COUNTERS];
        check("flow " + slot, handle.call(tam -> KernelNative.tam_flow_read(tam, slot, structure)));
        return Structures.flowCounters(structure);
    }

    /** Has XDP drop packets of a Type ID that are sent to this node, or ends that. */
    public void refuse(int typeId, boolean refuse) {
        check("Type ID", typeId, 0, 0xFFFF);
        check("Type ID " + typeId, handle.call(tam -> KernelNative.tam_refuse(tam, (short) typeId, refuse ? 1 : 0)));
    }

    /** Packets of a refused Type ID that XDP has dropped. */
    public long refused(int typeId) {
        check("Type ID", typeId, 0, 0xFFFF);
        long[] packets = new long[1];
        check("Type ID " + typeId, handle.call(tam -> KernelNative.tam_refused(tam, (short) typeId, packets)));
        return packets[0];
    }

    /** What all programs have seen. */
    public KernelStatistics statistics() {
        byte[] structure = new byte[Structures.STATISTICS];
        check("statistics", handle.call(tam -> KernelNative.tam_statistics(tam, structure)));
        return Structures.statistics(structure);
    }

    /**
     * Waits for the next change of an interface or address. Changes are kept from {@link #open} on.
     *
     * @return empty when the time is over
     * @throws AnepException EE-601 also when this is closed in the meantime
     */
    public Optional<KernelEvent> event(Duration timeout) {
        byte[] structure = new byte[Structures.EVENT];
        int milliseconds = (int) Math.min(Math.max(timeout.toMillis(), 0), Integer.MAX_VALUE);
        int found = handle.call(tam -> KernelNative.tam_event(tam, structure, milliseconds));
        if (found == -Errno.ESHUTDOWN) {
            throw KernelHandle.closed();
        }
        return check("events", found) == 0 ? Optional.empty() : Optional.of(Structures.event(structure));
    }

    /**
     * Runs nftables commands as one transaction, in this process: a table with {@code flags owner} ends with this.
     *
     * @return what nft prints; of commands that do not begin with {@code list} the first 16 KiB
     */
    public String nft(String commands) {
        byte[] text = Structures.cString(commands);
        byte[] output = new byte[NFT_OUTPUT];
        int octets = nft(text, output);
        // To list changes nothing and can be done again.
        while (octets >= output.length && commands.startsWith("list ")) {
            output = new byte[octets + NFT_OUTPUT];
            octets = nft(text, output);
        }
        return Structures.text(output);
    }

    private int nft(byte[] commands, byte[] output) {
        byte[] message = new byte[MESSAGE];
        int octets = handle.call(tam -> KernelNative.tam_nft(tam, commands, output, output.length, message, message.length));
        if (octets < 0) {
            throw refused("nftables refuses a transaction", octets, message);
        }
        return octets;
    }

    /** Sets the clock of the meters, which never goes back; for tests, with {@link KernelOptions#testClock}. */
    public void clock(long nanos) {
        check("clock", handle.call(tam -> KernelNative.tam_clock(tam, nanos)));
    }

    /** Runs the ingress program on an Ethernet frame, as if it had come in on an interface; for tests. */
    public Ran run(int ifindex, byte[] frame) {
        byte[] out = new byte[LONGEST_FRAME];
        int[] length = {out.length};
        int verdict = handle.call(tam -> KernelNative.tam_run(tam, ifindex, frame, frame.length, out, length));
        // -1 is TC_ACT_UNSPEC, which is TCX_NEXT; errors of the library are below.
        if (verdict < -1) {
            check("a frame of " + frame.length + " octets", verdict);
        }
        return new Ran(verdict, Arrays.copyOf(out, length[0]));
    }

    /** Takes everything out of the kernel. Waits for calls that are under way; wakes who waits for an event. Closing again does nothing. */
    @Override
    public void close() {
        handle.close();
    }

    /** Whether it is closed. */
    public boolean isClosed() {
        return handle.isClosed();
    }

    private void checkSlot(int slot) {
        check("slot", slot, 0, slots - 1);
    }

    private static void check(String field, int value, int least, int most) {
        if (value < least || value > most) {
            throw new AnepException(ErrorCode.BAD_RULE, "the " + field + " is " + value + ", not from " + least + " to " + most);
        }
    }

    /** The answer of a call, or the exception that stands for its error. */
    private static int check(String subject, int answer) {
        if (answer >= 0) {
            return answer;
        }
        throw switch (-answer) {
            case Errno.EINVAL -> new AnepException(ErrorCode.BAD_RULE, subject + ": a number is out of its range");
            case Errno.ENOENT -> new AnepException(ErrorCode.BAD_RULE, subject + ": there is none");
            case Errno.EEXIST -> new AnepException(ErrorCode.BAD_RULE, subject + ": another slot has the same one");
            case Errno.ENOSPC -> new AnepException(ErrorCode.RULES_FULL, subject + ": no room, or too many different combinations of fields "
                    + "and prefix lengths");
            default -> new AnepException(ErrorCode.KERNEL, subject + ": " + Errno.words(answer));
        };
    }

    private static AnepException refused(String what, int error, byte[] message) {
        String text = Structures.text(message).strip();
        String reason = text.isEmpty() ? Errno.words(error) : text;
        String remedy = error == -Errno.EPERM ? "; the node needs CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN" : "";
        return new AnepException(ErrorCode.KERNEL, what + ": " + reason + remedy);
    }

    /**
     * How a frame left the ingress program, for tests.
     *
     * @param verdict what the program returned: {@code TC_ACT_*} or {@code TCX_*}
     * @param frame   the frame as it left
     */
    public record Ran(int verdict, byte[] frame) {
    }

    /** How the program of an interface is attached. */
    public enum Attachment {
        /** A link of tcx, Linux 6.6 and later: it goes with the process. */
        TCX,
        /** A filter of the clsact queueing discipline, for kernels before. */
        CLSACT;

        /** Of {@code TAM_BY_*}. */
        static Attachment of(int code) {
            return code == 1 ? TCX : CLSACT;
        }
    }

    /**
     * A number for each next hop that rules name, the same for their flows, so that a flow is used by no rule that leads elsewhere. A number
     * lasts as long as a rule has it, and is never given again.
     */
    static final class Targets {
        /** The next hop that the route names. */
        static final int ROUTE = 0;
        /** No rule has it. */
        static final int NONE = -1;

        private static final class Target {
            private final int number;
            private int rules;

            Target(int number) {
                this.number = number;
            }
        }

        private final Map<InetSocketAddress, Target> targets = new HashMap<>();
        private final InetSocketAddress[] ofSlot;
        private int last;

        Targets(int slots) {
            ofSlot = new InetSocketAddress[slots];
        }

        /** The rule of a slot names a next hop from now on; null for the one of the route. Returns its number. */
        synchronized int name(int slot, InetSocketAddress next) {
            if (next != null) {
                targets.computeIfAbsent(next, unused -> new Target(++last)).rules++;
            }
            forget(slot);
            ofSlot[slot] = next;
            return number(next);
        }

        /** The slot has no rule any more. */
        synchronized void forget(int slot) {
            InetSocketAddress before = ofSlot[slot];
            if (before != null && --targets.get(before).rules == 0) {
                targets.remove(before);
            }
            ofSlot[slot] = null;
        }

        /** The number of a next hop. */
        synchronized int number(InetSocketAddress next) {
            Target target = next == null ? null : targets.get(next);
            return next == null ? ROUTE : target == null ? NONE : target.number;
        }
    }
}
