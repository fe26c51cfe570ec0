package org.tamanoir.cluster.plan;

import java.util.List;

/**
 * Everything that a director is to carry.
 *
 * @param services in the order of pool, address, port and transport; no two have the same address, port and transport
 */
public record Plan(List<VirtualService> services) {
    /** Nothing. */
    public static final Plan EMPTY = new Plan(List.of());

    public Plan {
        services = List.copyOf(services);
    }
}
