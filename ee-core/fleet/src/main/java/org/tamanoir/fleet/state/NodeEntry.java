package org.tamanoir.fleet.state;

import java.util.List;

/**
 * A node of the fleet.
 *
 * @param labels      the groups that it belongs to, in the order in which they lie over each other
 * @param identity    of its certificate, {@code spiffe://…}; null for none
 * @param tokenSha256 of its token, 64 lower-case hexadecimal digits; null for none
 */
public record NodeEntry(String name, List<String> labels, String identity, String tokenSha256) {
    public NodeEntry {
        labels = List.copyOf(labels);
    }

    /** Whether it has to prove who it is; otherwise it is on the machine of its fleet's server. */
    public boolean provesItself() {
        return identity != null || tokenSha256 != null;
    }
}
