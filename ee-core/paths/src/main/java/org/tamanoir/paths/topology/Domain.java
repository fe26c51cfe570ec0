package org.tamanoir.paths.topology;

import java.util.Set;

/**
 * Hosts that the rest of the network reaches alike (GlueDomains, section 3): what is measured from one of them holds for all.
 *
 * @param name        1 to 63 of letters, digits and {@code ._:-}
 * @param place       null if nobody has said
 * @param bottlenecks links that all its traffic with others passes, such as the access link of the site. Domains may share one. If nobody has said, one of
 *                    its own, with its name
 */
public record Domain(String name, Place place, Set<String> bottlenecks) {
    public Domain {
        bottlenecks = bottlenecks.isEmpty() ? Set.of(name) : Set.copyOf(bottlenecks);
    }
}
