package org.tamanoir.node.deploy;

import java.util.concurrent.CompletableFuture;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.deploy.BundleSource.FoundBundle;
import org.tamanoir.node.deploy.Sources.Asker;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceState;

/** What a {@link ServiceLine} wants done; whoever drives it does these in order, outside its lock. */
sealed interface LineAction {
    /** Get the version: find, fetch, verify, install; then say {@code started} or {@code failed}. */
    record Acquire(ServiceVersion version) implements LineAction {
    }

    /** Somebody else waits for a version that is being got, or is about to be. */
    record Join(ServiceVersion version, Asker asker) implements LineAction {
    }

    /** New streams that ask for no version get this one; null: none. */
    record Current(RunningService service) implements LineAction {
    }

    /** Remember over restarts which version is current; null: none. */
    record Choose(FoundBundle bundle) implements LineAction {
    }

    /** Whoever waits gets the service, or else the error. */
    record Answer(CompletableFuture<RunningService> waiting, RunningService service, AnepException error) implements LineAction {
    }

    /** End every stream of the version. */
    record EndStreams(RunningService service, AnepException why) implements LineAction {
    }

    /** Stop the service and take its bundle out; no stream uses it any more. */
    record Uninstall(ServiceVersion version, RunningService service) implements LineAction {
    }

    /** A state has changed. */
    record Tell(ServiceVersion version, ServiceState from, ServiceState to) implements LineAction {
    }
}
