package org.tamanoir.node.offload;

import org.tamanoir.service.Level;

/**
 * Where a service runs on this node, and why.
 *
 * @param where   {@code event-loop} or {@code own-threads}
 * @param because a sentence for the operator
 */
public record Placement(String where, String because) {
    public static final String EVENT_LOOP = "event-loop";
    public static final String OWN_THREADS = "own-threads";

    /** The placement of a service of a declared level. */
    public static Placement of(Level level) {
        return switch (level) {
            case LIGHT -> new Placement(EVENT_LOOP, "declared light; this node has no kernel helper, so it runs on the event loop of its stream");
            case MIDDLE -> new Placement(EVENT_LOOP, "declared middle: it runs on the event loop of its stream");
            case HEAVY -> new Placement(OWN_THREADS, "declared heavy: it runs on threads of its own, each stream in order");
        };
    }

    public boolean onEventLoop() {
        return where.equals(EVENT_LOOP);
    }
}
