package org.tamanoir.node.fleet;

/**
 * How a node stands with its fleet.
 *
 * @param url         of the server
 * @param name        of the node
 * @param generation  whose part is in force; 0 for none
 * @param sha256      of that part; null for none
 * @param refused     why the newest part is not in force; null if it is
 * @param problem     why the server was not of use the last time; null if it was
 * @param contactMillis since the server last answered; -1 if it never has
 */
public record FleetView(String url, String name, long generation, String sha256, String refused, String problem, long contactMillis) {
}
