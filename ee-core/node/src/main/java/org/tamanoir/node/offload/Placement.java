package org.tamanoir.node.offload;

import java.util.LinkedHashMap;
import java.util.Map;
import org.tamanoir.service.Level;

/**
 * Where something runs, and why there and not on a lower level. From low to high: the kernel, the event loop of a stream,
 * threads of a service's own, other nodes.
 *
 * @param where    {@link #KERNEL}, {@link #EVENT_LOOP}, {@link #OWN_THREADS} or {@link #POOL}
 * @param because  a sentence for the operator
 * @param notLower for each lower level why it does not run there
 */
public record Placement(String where, String because, Map<String, String> notLower) {
    public static final String KERNEL = "kernel";
    public static final String EVENT_LOOP = "event-loop";
    public static final String OWN_THREADS = "own-threads";
    public static final String POOL = "pool";

    /** Whether the handlers of a level run on the event loop of their stream. */
    public static boolean onEventLoop(Level level) {
        return level != Level.HEAVY;
    }

    /** It runs in the kernel. */
    public static Placement inKernel(String because) {
        return new Placement(KERNEL, because, Map.of());
    }

    /** It runs on the event loop of its stream. @param notKernel why not in the kernel */
    public static Placement onEventLoop(String because, String notKernel) {
        return new Placement(EVENT_LOOP, because, Map.of(KERNEL, notKernel));
    }

    /** It runs on threads of the service. */
    public static Placement onOwnThreads(String because, String notKernel) {
        Map<String, String> notLower = new LinkedHashMap<>();
        notLower.put(EVENT_LOOP, "a service that is declared heavy would hold up every other stream of the loop");
        notLower.put(KERNEL, notKernel);
        return new Placement(OWN_THREADS, because, notLower);
    }

    /** Back ends run it, in the place of this node. @param pool their address @param because what makes it theirs */
    public static Placement atPool(String pool, String because) {
        return new Placement(POOL, "handed to pool " + pool + ": " + because, Map.of(OWN_THREADS, "pools of the configuration has others serve it"));
    }
}
