package org.tamanoir.node.service;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The services that streams can use, by Type ID. */
public final class ServiceRegistry {
    private final ConcurrentMap<Integer, RunningService> active = new ConcurrentHashMap<>();

    /** The service that a new stream gets, or null. */
    public RunningService find(int typeId) {
        return active.get(typeId);
    }

    /** New streams get this one from now on; returns the one that they got before, or null. */
    public RunningService activate(RunningService service) {
        return active.put(service.typeId(), service);
    }

    /** New streams do not get it any more. */
    public boolean deactivate(RunningService service) {
        return active.remove(service.typeId(), service);
    }

    public Collection<RunningService> all() {
        return List.copyOf(active.values());
    }
}
