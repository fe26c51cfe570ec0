package org.tamanoir.node.service;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/** The services that run, and which of them a new stream gets, by Type ID. For any thread. */
public final class ServiceRegistry {
    private final ConcurrentMap<Integer, RunningService> current = new ConcurrentHashMap<>();
    private final Set<RunningService> running = ConcurrentHashMap.newKeySet();
    private final List<BiConsumer<RunningService, RunningService>> onCurrent = new CopyOnWriteArrayList<>();

    /** Adds one who is told when new streams get another version: the one before and the one now; null for none. Before anything runs. */
    public void onCurrent(BiConsumer<RunningService, RunningService> listener) {
        onCurrent.add(listener);
    }

    /** The service that a new stream gets, or null. */
    public RunningService find(int typeId) {
        return current.get(typeId);
    }

    /** It runs; streams get it when {@link #activate} says so. */
    public void add(RunningService service) {
        running.add(service);
    }

    /** It is gone. */
    public void remove(RunningService service) {
        deactivate(service);
        running.remove(service);
    }

    /** New streams get this one from now on. */
    public void activate(RunningService service) {
        RunningService before = current.put(service.typeId(), service);
        if (before != service) {
            onCurrent.forEach(listener -> listener.accept(before, service));
        }
    }

    /** New streams do not get it any more. */
    public void deactivate(RunningService service) {
        if (current.remove(service.typeId(), service)) {
            onCurrent.forEach(listener -> listener.accept(service, null));
        }
    }

    /** Every version that runs, the ones that drain too. */
    public Collection<RunningService> all() {
        return running.stream().sorted(Comparator.comparing(RunningService::typeId).thenComparing(RunningService::version)).toList();
    }

    /** The versions of a service that run. */
    public List<RunningService> named(String name) {
        return running.stream().filter(service -> service.name().equals(name)).toList();
    }
}
