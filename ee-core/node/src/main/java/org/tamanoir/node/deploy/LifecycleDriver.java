package org.tamanoir.node.deploy;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.Anep;
import org.tamanoir.node.deploy.Sources.Asker;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceEvents;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceState;

/**
 * Brings events to the {@link VersionLifecycle} of a Type ID and does what it says. What must happen in the order in which it was decided
 * happens under the lifecycle's lock; whatever may take long, or calls others, happens outside it.
 */
final class LifecycleDriver {
    private static final Logger LOG = LoggerFactory.getLogger(LifecycleDriver.class);
    /** Type IDs that are remembered. Beyond it those without a service are forgotten, so that made-up Type IDs cost no memory. */
    private static final int REMEMBERED = 1024;

    /** Something that happens to a lifecycle. */
    interface Event<T> {
        T on(VersionLifecycle lifecycle, long now);
    }

    /** Does what takes long; each call returns at once. */
    interface Driver {
        void acquire(LockedLifecycle lifecycle, ServiceVersion version);

        void join(LockedLifecycle lifecycle, ServiceVersion version, Asker asker);

        void uninstall(ServiceVersion version, RunningService service);

        void endStreams(LifecycleAction.EndStreams end);

        void save();
    }

    private final Map<Integer, LockedLifecycle> lifecycles = new ConcurrentHashMap<>();
    private final Supplier<LifecycleSettings> settings;
    private final ServiceRegistry registry;
    private final ChosenVersions chosen;
    private final ServiceEvents events;
    private Driver driver;

    LifecycleDriver(Supplier<LifecycleSettings> settings, ServiceRegistry registry, ChosenVersions chosen, ServiceEvents events) {
        this.settings = settings;
        this.registry = registry;
        this.chosen = chosen;
        this.events = events;
    }

    /** Must be named before the first event. */
    void drivenBy(Driver newDriver) {
        driver = newDriver;
    }

    /** An event for the lifecycle of a Type ID, which is made if there is none. */
    <T> T on(int typeId, Event<T> event) {
        while (true) {
            LockedLifecycle lifecycle = lifecycles.computeIfAbsent(typeId, id -> new LockedLifecycle(id, settings));
            if (!lifecycle.isDropped()) {
                return run(lifecycle, event);
            }
        }
    }

    /** An event for a lifecycle. */
    <T> T run(LockedLifecycle lifecycle, Event<T> event) {
        List<LifecycleAction> actions;
        T result;
        synchronized (lifecycle) {
            try {
                result = event.on(lifecycle.core(), System.nanoTime());
            } finally {
                actions = lifecycle.core().actions();
                actions.forEach(action -> atOnce(lifecycle, action));
            }
        }
        actions.forEach(action -> afterwards(lifecycle, action));
        return result;
    }

    /** As {@link #run}, for events without a result. */
    void tell(LockedLifecycle lifecycle, Consumer<VersionLifecycle> event) {
        run(lifecycle, (core, now) -> {
            event.accept(core);
            return null;
        });
    }

    /** An event for every lifecycle there is. */
    void all(Event<?> event) {
        lifecycles.values().forEach(lifecycle -> run(lifecycle, event));
    }

    LockedLifecycle find(int typeId) {
        return lifecycles.get(typeId);
    }

    /** By Type ID. */
    List<LockedLifecycle> sorted() {
        return lifecycles.values().stream().sorted(Comparator.comparing(LockedLifecycle::typeId)).toList();
    }

    /** Lets time pass for all of them. */
    void tick() {
        all((core, now) -> {
            core.tick(now);
            return null;
        });
        if (lifecycles.size() > REMEMBERED) {
            Collection<LockedLifecycle> all = lifecycles.values();
            all.removeIf(LockedLifecycle::drop);
        }
    }

    private void atOnce(LockedLifecycle lifecycle, LifecycleAction action) {
        if (action instanceof LifecycleAction.Current current) {
            if (current.service() != null) {
                registry.activate(current.service());
                return;
            }
            RunningService before = registry.find(lifecycle.typeId());
            if (before != null) {
                registry.deactivate(before);
            }
        } else if (action instanceof LifecycleAction.Choose choose) {
            chosen.choose(lifecycle.typeId(), choose.bundle());
        } else if (action instanceof LifecycleAction.Tell tell) {
            announce(tell);
        }
    }

    private void announce(LifecycleAction.Tell tell) {
        ServiceVersion version = tell.version();
        String reason = version.reason == null ? null : version.reason.getMessage();
        events.add(new ServiceEvents.Change(Instant.now().toString(), Anep.typeName(version.typeId()), version.name(), version.version(),
                tell.from() == null ? null : tell.from().word(), tell.to().word(), version.source, reason), tell.to());
        if (tell.to() == ServiceState.FAILED) {
            LOG.warn("{} has failed: {}", version, reason);
        } else if (!tell.to().isUnderWay()) {
            LOG.info("{} is {}{}", version, tell.to().word(), tell.to() == ServiceState.ACTIVE && version.source != null
                    ? ", from " + version.source : "");
        }
    }

    private void afterwards(LockedLifecycle lifecycle, LifecycleAction action) {
        if (action instanceof LifecycleAction.Acquire acquire) {
            driver.acquire(lifecycle, acquire.version());
        } else if (action instanceof LifecycleAction.Join join) {
            driver.join(lifecycle, join.version(), join.asker());
        } else if (action instanceof LifecycleAction.Answer answer) {
            if (answer.error() == null) {
                answer.waiting().complete(answer.service());
            } else {
                answer.waiting().completeExceptionally(answer.error());
            }
        } else if (action instanceof LifecycleAction.EndStreams end) {
            driver.endStreams(end);
        } else if (action instanceof LifecycleAction.Uninstall uninstall) {
            registry.remove(uninstall.service());
            driver.uninstall(uninstall.version(), uninstall.service());
        } else if (action instanceof LifecycleAction.Choose) {
            driver.save();
        }
    }
}
