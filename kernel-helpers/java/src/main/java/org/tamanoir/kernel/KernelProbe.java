package org.tamanoir.kernel;

import java.util.Map;
import java.util.Optional;

/**
 * What this kernel lets this process do, tried out and undone.
 *
 * @param results 0 or a negative errno for each feature; empty without the library
 * @param library why the library cannot be loaded, with the remedy; null if it is loaded
 */
public record KernelProbe(Map<Feature, Integer> results, String library) {
    /**
     * Tries everything. Costs about a tenth of a second, and touches no interface of this host. Never throws: where even the library cannot
     * be loaded, {@link #library} says so.
     */
    public static KernelProbe of() {
        try {
            if (KernelLibrary.problem() != null) {
                return new KernelProbe(Map.of(), KernelLibrary.problem());
            }
            byte[] structure = new byte[Structures.PROBE];
            int error = KernelNative.tam_probe(structure);
            return error < 0 ? new KernelProbe(Map.of(), "the kernel helper cannot look at this kernel: " + Errno.words(error))
                    : new KernelProbe(Structures.probe(structure), null);
        } catch (RuntimeException | LinkageError e) {
            // Classes are missing: of JNA, for example.
            return new KernelProbe(Map.of(), "the kernel helper cannot be loaded: " + e);
        }
    }

    /** Whether a feature can be used. */
    public boolean has(Feature feature) {
        return results.getOrDefault(feature, Errno.ENOSYS) == 0;
    }

    /** What keeps a feature from being used, in a sentence with its remedy; empty if it can be. */
    public Optional<String> missing(Feature feature) {
        if (has(feature)) {
            return Optional.empty();
        }
        return Optional.of(library != null ? library : feature.remedy(results.getOrDefault(feature, Errno.ENOSYS)));
    }

    /** Whether datagrams over IPv4 can be handled in the kernel; those over IPv6 need {@link Feature#FORWARD6} besides. */
    public boolean udp() {
        return has(Feature.BPF) && has(Feature.PERFMON) && (has(Feature.TCX) || has(Feature.CLSACT)) && has(Feature.FORWARD4);
    }

    /** Whether connections over IPv4 can be forwarded in the kernel; those over IPv6 need {@link Feature#FORWARD6} besides. */
    public boolean tcp() {
        return has(Feature.NFT) && has(Feature.FORWARD4);
    }
}
