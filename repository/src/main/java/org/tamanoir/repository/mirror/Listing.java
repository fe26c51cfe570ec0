package org.tamanoir.repository.mirror;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

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
        Set<String> gone = retired.stream().map(offer -> offer + offer.sha256()).collect(Collectors.toSet());
        offered = offered.stream().filter(offer -> !gone.contains(offer + offer.sha256())).toList();
    }
}
