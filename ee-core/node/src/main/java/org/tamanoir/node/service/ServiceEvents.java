package org.tamanoir.node.service;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** What has happened to services: the last changes of state, and whoever wants to hear of the next. For any thread. */
public final class ServiceEvents {
    /** Changes that are remembered for those who come late. */
    private static final int REMEMBERED = 128;

    /**
     * One change of state.
     *
     * @param time   ISO 8601, UTC
     * @param from   the state before; null for the first
     * @param source as in {@link ServiceStatus}
     * @param reason why, where there is a reason; null otherwise
     */
    public record Change(String time, String typeId, String name, String version, String from, String to, String source, String reason) {
    }

    private final Deque<Change> last = new ArrayDeque<>();
    private final List<Consumer<Change>> listeners = new CopyOnWriteArrayList<>();
    private final Map<ServiceState, LongAdder> counts = new EnumMap<>(ServiceState.class);

    public ServiceEvents() {
        for (ServiceState state : ServiceState.values()) {
            counts.put(state, new LongAdder());
        }
    }

    /** Tells everybody; listeners must not block. */
    public synchronized void add(Change change, ServiceState to) {
        counts.get(to).increment();
        last.addLast(change);
        if (last.size() > REMEMBERED) {
            last.removeFirst();
        }
        listeners.forEach(listener -> listener.accept(change));
    }

    /** Adds a listener, which hears the remembered changes first; none is missed or told twice. */
    public synchronized void listen(Consumer<Change> listener) {
        new ArrayList<>(last).forEach(listener);
        listeners.add(listener);
    }

    public void forget(Consumer<Change> listener) {
        listeners.remove(listener);
    }

    /** How often services have come into each state. */
    public Map<ServiceState, LongAdder> counts() {
        return counts;
    }
}
