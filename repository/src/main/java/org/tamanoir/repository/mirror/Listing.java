package org.tamanoir.repository.mirror;

import java.util.List;
import java.util.Set;

/**
 * What an upstream says it has.
 *
 * @param offered versions that nodes may fetch
 * @param retired versions that it had and has taken back
 */
record Listing(List<Offer> offered, List<Offer> retired) {
    static final Listing EMPTY = new Listing(List.of(), List.of());

    /** What is retired is not offered, whatever the upstream says: otherwise a version would go to and fro. */
    Listing {
        Set<Offer> gone = Set.copyOf(retired);
        offered = offered.stream().filter(offer -> !gone.contains(offer)).toList();
    }
}
