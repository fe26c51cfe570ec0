package org.tamanoir.node.deploy;

import java.util.List;
import java.util.function.Supplier;
import org.tamanoir.node.service.ServiceStatus;

/** The {@link VersionLifecycle} of one Type ID and the lock under which it is used. */
final class LockedLifecycle {
    private final int typeId;
    private final VersionLifecycle core;
    private boolean dropped;

    LockedLifecycle(int typeId, Supplier<LifecycleSettings> settings) {
        this.typeId = typeId;
        this.core = new VersionLifecycle(typeId, settings);
    }

    int typeId() {
        return typeId;
    }

    /** To be used with this object locked. */
    VersionLifecycle core() {
        return core;
    }

    /** Whether it has been forgotten: there is or will be another one for the Type ID. */
    synchronized boolean isDropped() {
        return dropped;
    }

    /** Forgets it if nothing is lost by that. */
    synchronized boolean drop() {
        dropped = core.isForgettable(System.nanoTime());
        return dropped;
    }

    /** Whether a version of that content runs or is on its way. */
    synchronized boolean uses(String sha256) {
        return core.versions().stream().anyMatch(version -> version.bundle != null && !version.state.isEnd()
                && version.bundle.sha256().equals(sha256));
    }

    /** The versions that run, drain, are on their way or still have streams, and whose content is known. */
    synchronized List<ServiceVersion> inUse() {
        return core.versions().stream().filter(version -> version.bundle != null && (!version.state.isEnd() || version.running != null)).toList();
    }

    synchronized List<ServiceStatus> statuses() {
        return core.statuses(System.nanoTime());
    }
}
