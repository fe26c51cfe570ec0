package org.tamanoir.benchmarks.upgrade;

/**
 * One upgrade of one node.
 *
 * @param node    first or last
 * @param version that was to become active
 * @param source  the kind of source that the node names: repository, node, store or pushed; null if it failed
 * @param millis  until the node said that the version is active
 * @param failure why it is not, or null
 */
record Upgrade(String node, String version, String source, double millis, String failure) {
    /** What a node says of a source, without its address: {@code http://127.0.0.1:3325} is repository, {@code node H:P} is node. */
    static String kind(String source) {
        return source.startsWith("http") ? "repository" : source.split(" ")[0];
    }
}
