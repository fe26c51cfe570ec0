package org.tamanoir.kernel;

import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * Tunes TCP flows of other programs in this network namespace while it is open: {@code tamanoir_tune.h}. New flows get what their rule says when their connection
 * stands, those that were open with the first {@link #pass}. All have again what they had when this is closed, and when the process dies.
 *
 * <p>Safe for all threads, one at a time. Memory: 104 octets for each of the flows that it may tune, and about 200 in the kernel for each that it does.
 */
public final class FlowTuning implements AutoCloseable {
    /** {@code TAM_TUNE_RULES}. */
    public static final int MOST_RULES = 256;
    private static final int MESSAGE = 64 * 1024;
    /** Of a message, so much is for people: the reason, and the last of what the verifier says. */
    private static final int MOST_LINES = 12;
    private static final String RIGHTS = "it needs root, or CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN and CAP_SYS_ADMIN";

    private final ByteBuffer flows;
    private final int room;
    private final String newFlows;
    private Pointer tune;

    private FlowTuning(Pointer tune, int room, int newFlows) {
        this.tune = tune;
        this.room = room;
        this.flows = ByteBuffer.allocateDirect(room * TuningStructures.FLOW).order(ByteOrder.nativeOrder());
        this.newFlows = newFlows == 0 ? null : Errno.words(newFlows);
    }

    /**
     * What a pass has found.
     *
     * @param flows   tuned ones
     * @param tuned   sockets, since this was opened
     * @param refused times that the kernel would not set what a rule says
     * @param beyond  times that a flow was left alone because there were too many
     */
    public record Pass(List<TunedFlow> flows, long tuned, long refused, long beyond) {
    }

    /** {@code enum tam_tune_part}. */
    private enum Part {
        NONE, BTF, PROGRAMS, STRUCT_OPS, HELD, ITERATOR, GUARD
    }

    /**
     * Registers the algorithm and begins with new flows.
     *
     * @param rules     1 to {@link #MOST_RULES}; the first that matches a flow counts
     * @param mostFlows at once, 1 to 1,000,000; those beyond are left alone
     * @throws AnepException EE-601 without the kernel helper; EE-602 if a rule is out of range; EE-605 if the kernel lacks a piece or refuses one, or without the rights;
     *                       EE-622 if another process of this machine has registered the algorithm
     */
    public static FlowTuning open(List<TuningRule> rules, int mostFlows) {
        KernelLibrary.require();
        byte[] message = new byte[MESSAGE];
        int[] newFlows = new int[1];
        int[] part = new int[1];
        int[] error = new int[1];
        Pointer tune = KernelNative.tam_tune_open(TuningStructures.of(rules), rules.size(), mostFlows, newFlows, part, error, message, message.length);
        if (tune == null) {
            throw refused(Part.values()[part[0]], error[0], lastLines(Structures.text(message)));
        }
        return new FlowTuning(tune, mostFlows, newFlows[0]);
    }

    /**
     * Looks at every socket once: tunes those that match and are not. To be called again within five seconds, or flows go back by themselves.
     *
     * @throws AnepException EE-601 if this is closed, or if the kernel does not answer
     */
    public synchronized Pass pass() {
        if (tune == null) {
            throw KernelHandle.closed();
        }
        long[] counts = new long[TuningStructures.COUNTS];
        int found = KernelNative.tam_tune_pass(tune, flows, room, counts);
        if (found < 0) {
            throw new AnepException(ErrorCode.KERNEL, "the TCP sockets cannot be looked at: " + Errno.words(found));
        }
        List<TunedFlow> tuned = new ArrayList<>();
        for (int i = 0; i < Math.min(found, room); i++) {
            tuned.add(TuningStructures.flow(flows, i));
        }
        return new Pass(tuned, counts[0], counts[1], counts[2]);
    }

    /** Why new flows are found by passes only, and not when their connection stands; null if they are not. */
    public String newFlowsWait() {
        return newFlows;
    }

    /** Puts every flow back. Closing again does nothing. */
    @Override
    public synchronized void close() {
        if (tune != null) {
            KernelNative.tam_tune_close(tune);
            tune = null;
        }
    }

    private static AnepException refused(Part part, int error, String text) {
        String remedy = error == -Errno.EPERM ? RIGHTS : switch (part) {
            case BTF -> "use a kernel that describes its types (CONFIG_DEBUG_INFO_BTF)";
            case STRUCT_OPS -> "use Linux 6.4 or later with CONFIG_BPF_JIT";
            case ITERATOR -> "use Linux 6.4 or later with CONFIG_BPF_SYSCALL and CONFIG_BPF_JIT";
            case HELD -> "end it, or wait until it ends: the name counts for the whole machine";
            case GUARD -> "it is /bin/sh with cat: see that both can be run";
            default -> null;
        };
        ErrorCode code = switch (part) {
            case NONE -> error == -Errno.EINVAL ? ErrorCode.BAD_RULE : ErrorCode.KERNEL;
            case HELD -> ErrorCode.TUNING_HELD;
            default -> ErrorCode.NEEDS_KERNEL;
        };
        return new AnepException(code, "TCP flows cannot be tuned: " + (text.isEmpty() ? Errno.words(error) : text) + (remedy == null ? "" : "; " + remedy));
    }

    /** The first line, which is the reason, and the last ones, where the verifier says what it does not like. */
    static String lastLines(String text) {
        List<String> lines = text.strip().lines().filter(line -> !line.isBlank()).toList();
        if (lines.size() <= MOST_LINES) {
            return String.join("\n", lines);
        }
        return lines.get(0) + "\n" + lines.subList(lines.size() - MOST_LINES + 1, lines.size()).stream().collect(Collectors.joining("\n"));
    }
}
