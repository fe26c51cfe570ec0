package org.tamanoir.fleet.report;

/**
 * A key at which a node is not as its fleet says.
 *
 * @param fleet what the fleet says, as it is written in one line; null for nothing
 * @param node  what holds at the node; null for nothing
 * @param by    what has the last word there: {@code file}, the node's own, or {@code api}, until its file or its part of the fleet is read again
 */
public record Drift(String key, String fleet, String node, String by) {
}
