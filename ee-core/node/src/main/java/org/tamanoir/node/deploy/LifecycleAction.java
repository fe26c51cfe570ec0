package org.tamanoir.node.deploy;

import java.util.concurrent.CompletableFuture;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.deploy.Sources.Asker;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceState;

/** What a {@link VersionLifecycle} wants done; whoever drives it does these in order, outside its lock. */
sealed interface LifecycleAction {
    /** Get the version: find, fetch, verify, install; then say {@code started} or {@code failed}. */
    record Acquire(ServiceVersion version) implements LifecycleAction {
    }

    /** Somebody else waits for a version that is being got, or is about to be. */
    record Join(ServiceVersion version, Asker asker) implements LifecycleAction {
    }

    /** New streams that ask for no version get this one; null: none. */
    record Current(RunningService service) implements LifecycleAction {
    }

    /** Remember over restarts which version is current; null: none. */
    record Choose(FoundBundle bundle) implements LifecycleAction {
    }

    /** Whoever waits gets the service, or else the error. */
    record Answer(CompletableFuture<RunningService> waiting, RunningService service, AnepException error) implements LifecycleAction {
    }

    /** End every stream of the version. */
    record EndStreams(RunningService service, AnepException why) implements LifecycleAction {
    }

    /** Stop the service and take its bundle out; no stream uses it any more. */
    record Uninstall(ServiceVersion version, RunningService service) implements LifecycleAction {
    }

    /** A state has changed. */
    record Tell(ServiceVersion version, ServiceState from, ServiceState to) implements LifecycleAction {
    }
}
