package org.tamanoir.node.fleet;

import org.tamanoir.fleet.state.NodePart;

/** What a node has of its fleet. @param generation whose part it is */
public record StoredPart(long generation, NodePart part) {
}
