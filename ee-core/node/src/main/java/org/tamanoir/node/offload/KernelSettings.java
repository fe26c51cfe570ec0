package org.tamanoir.node.offload;

import java.util.List;

/**
 * How a node uses the kernel.
 *
 * @param use        whether it does
 * @param interfaces names of interfaces whose packets it looks at; null for all but loopback
 * @param xdp        names of interfaces on which floods of refused Type IDs are dropped by XDP
 * @param rules      rules at once, 1 to 65,536
 * @param flows      UDP streams that the kernel carries at once, 1 to 1,048,576
 */
public record KernelSettings(Use use, List<String> interfaces, List<String> xdp, int rules, int flows) {
    /** Whether the kernel is used. */
    public enum Use {
        /** Where it can be. */
        AUTO,
        /** Not at all. */
        OFF,
        /** The node does not start without it. */
        REQUIRED
    }
}
