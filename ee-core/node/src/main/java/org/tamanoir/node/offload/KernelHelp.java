package org.tamanoir.node.offload;

import java.util.Optional;
import org.tamanoir.kernel.Feature;
import org.tamanoir.kernel.KernelProbe;

/**
 * What this kernel would do for a node of this process, tried out and undone.
 *
 * @param datagrams   what light rules over UDP lack first, with its remedy; null if they can run in the kernel
 * @param connections the same for light TCP streams
 */
public record KernelHelp(String datagrams, String connections) {
    /** Costs about a tenth of a second; never throws. */
    public static KernelHelp look() {
        return of(KernelProbe.of());
    }

    private static KernelHelp of(KernelProbe probe) {
        String forwarding = probe.missing(Feature.FORWARD4).orElse(null);
        String lacking = missing(probe);
        return new KernelHelp(lacking != null ? lacking : forwarding, probe.missing(Feature.NFT).orElse(forwarding));
    }

    /** What the path of datagrams lacks first, with its remedy; null if it lacks nothing. */
    static String missing(KernelProbe probe) {
        if (probe.library() != null) {
            return probe.library();
        }
        return probe.missing(Feature.BPF).or(() -> probe.missing(Feature.PERFMON))
                .or(() -> probe.has(Feature.TCX) ? Optional.empty() : probe.missing(Feature.CLSACT)).orElse(null);
    }
}
