package org.tamanoir.node.fleet;

/**
 * Which fleet a node is in.
 *
 * @param url   of the fleet's server
 * @param name  of the node there
 * @param token that proves it; null for none
 */
public record FleetSettings(String url, String name, String token) {
    /** Without the token. */
    @Override
    public String toString() {
        return name + " at " + url;
    }
}
