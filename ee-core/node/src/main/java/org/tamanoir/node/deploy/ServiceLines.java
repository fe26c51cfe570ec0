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
 * Brings events to the {@link ServiceLine} of a Type ID and does what it says. What must happen in the order in which it was decided
 * happens under the line's lock; whatever may take long, or calls others, happens outside it.
 */
final class ServiceLines {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceLines.class);
    /** Type IDs that are remembered. Beyond it those without a service are forgotten, so that made-up Type IDs cost no memory. */
    private static final int REMEMBERED = 1024;

    /** Something that happens to a line. */
    interface Event<T> {
        T on(ServiceLine line, long now);
    }

    /** Does what takes long; each call returns at once. */
    interface Driver {
        void acquire(LockedLine line, ServiceVersion version);

        void join(LockedLine line, ServiceVersion version, Asker asker);

        void uninstall(ServiceVersion version, RunningService service);

        void endStreams(LineAction.EndStreams end);

        void save();
    }

    private final Map<Integer, LockedLine> lines = new ConcurrentHashMap<>();
    private final Supplier<LineSettings> settings;
    private final ServiceRegistry registry;
    private final ChosenVersions chosen;
    private final ServiceEvents events;
    private Driver driver;

    ServiceLines(Supplier<LineSettings> settings, ServiceRegistry registry, ChosenVersions chosen, ServiceEvents events) {
        this.settings = settings;
        this.registry = registry;
        this.chosen = chosen;
        this.events = events;
    }

    /** Must be named before the first event. */
    void drivenBy(Driver newDriver) {
        driver = newDriver;
    }

    /** An event for the line of a Type ID, which is made if there is none. */
    <T> T on(int typeId, Event<T> event) {
        while (true) {
            LockedLine line = lines.computeIfAbsent(typeId, id -> new LockedLine(id, settings));
            if (!line.isDropped()) {
                return run(line, event);
            }
        }
    }

    /** An event for a line. */
    <T> T run(LockedLine line, Event<T> event) {
        List<LineAction> actions;
        T result;
        synchronized (line) {
            try {
                result = event.on(line.core(), System.nanoTime());
            } finally {
                actions = line.core().actions();
                actions.forEach(action -> atOnce(line, action));
            }
        }
        actions.forEach(action -> afterwards(line, action));
        return result;
    }

    /** As {@link #run}, for events without a result. */
    void tell(LockedLine line, Consumer<ServiceLine> event) {
        run(line, (core, now) -> {
            event.accept(core);
            return null;
        });
    }

    /** An event for every line there is. */
    void all(Event<?> event) {
        lines.values().forEach(line -> run(line, event));
    }

    LockedLine find(int typeId) {
        return lines.get(typeId);
    }

    /** By Type ID. */
    List<LockedLine> sorted() {
        return lines.values().stream().sorted(Comparator.comparing(LockedLine::typeId)).toList();
    }

    /** Lets time pass for all of them. */
    void tick() {
        all((core, now) -> {
            core.tick(now);
            return null;
        });
        if (lines.size() > REMEMBERED) {
            Collection<LockedLine> all = lines.values();
            all.removeIf(LockedLine::drop);
        }
    }

    private void atOnce(LockedLine line, LineAction action) {
        if (action instanceof LineAction.Current current) {
            if (current.service() != null) {
                registry.activate(current.service());
                return;
            }
            RunningService before = registry.find(line.typeId());
            if (before != null) {
                registry.deactivate(before);
            }
        } else if (action instanceof LineAction.Choose choose) {
            chosen.choose(line.typeId(), choose.bundle());
        } else if (action instanceof LineAction.Tell tell) {
            announce(tell);
        }
    }

    private void announce(LineAction.Tell tell) {
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

    private void afterwards(LockedLine line, LineAction action) {
        if (action instanceof LineAction.Acquire acquire) {
            driver.acquire(line, acquire.version());
        } else if (action instanceof LineAction.Join join) {
            driver.join(line, join.version(), join.asker());
        } else if (action instanceof LineAction.Answer answer) {
            if (answer.error() == null) {
                answer.waiting().complete(answer.service());
            } else {
                answer.waiting().completeExceptionally(answer.error());
            }
        } else if (action instanceof LineAction.EndStreams end) {
            driver.endStreams(end);
        } else if (action instanceof LineAction.Uninstall uninstall) {
            registry.remove(uninstall.service());
            driver.uninstall(uninstall.version(), uninstall.service());
        } else if (action instanceof LineAction.Choose) {
            driver.save();
        }
    }
}
