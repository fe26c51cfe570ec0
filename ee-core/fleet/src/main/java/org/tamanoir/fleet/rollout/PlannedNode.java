package org.tamanoir.fleet.rollout;

import java.util.List;
import org.tamanoir.fleet.tree.Change;

/**
 * What a new state would change for one node.
 *
 * @param ring    in which it would get it; null for a node that leaves the fleet, and keeps what it has
 * @param isNew   whether the fleet has nothing of it yet
 * @param changes against what it is to have now
 */
public record PlannedNode(String name, String ring, boolean isNew, List<Change> changes) {
}
