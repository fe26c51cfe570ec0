package org.tamanoir.qos.wire;

import java.util.List;
import org.tamanoir.service.qos.ServiceLevel;

/**
 * What an application asks, and what every node passes on with itself added.
 *
 * @param op         what
 * @param number     of the request, not 0: the same in every copy of it
 * @param session    the code; 0 in an {@link Op#OPEN} that no node has seen yet
 * @param level      the service level; null for {@link Op#RELEASE}
 * @param patienceMs how long the sender waits for the answer; each node passes on less
 * @param path       the nodes that have seen it, the first one first
 */
public record Request(Op op, long number, long session, ServiceLevel level, int patienceMs, List<Stop> path) {
    /** Nodes on a path. */
    public static final int MOST_STOPS = 32;
    /** The most that a node waits for those behind it. */
    public static final int MOST_PATIENCE_MS = 30_000;

    public Request {
        path = List.copyOf(path);
    }
}
