package org.tamanoir.fleet.rollout;

import org.tamanoir.fleet.report.NodeReport;

/** The last report of a node, and when it came: by the server's own clock that does not go back, never by the node's. */
public record Heard(NodeReport report, long at) {
}
