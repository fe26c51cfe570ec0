package org.tamanoir.fleet.state;

import java.util.List;

/**
 * Nodes that get a generation together. A node is in the first ring that names it or one of its labels; a ring that names nobody has all the others.
 *
 * @param nodes  by name
 * @param labels of nodes
 */
public record Ring(String name, List<String> nodes, List<String> labels) {
    public Ring {
        nodes = List.copyOf(nodes);
        labels = List.copyOf(labels);
    }

    boolean has(NodeEntry node) {
        return nodes.isEmpty() && labels.isEmpty() || nodes.contains(node.name()) || node.labels().stream().anyMatch(labels::contains);
    }
}
