package org.tamanoir.node.deploy;

import java.util.concurrent.CompletableFuture;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceState;
import org.tamanoir.node.service.ServiceStatus;

/** The way of one service on this node, from the first stream that asks for it. Written by one deploying thread, read by any. */
final class Deployment {
    private final int typeId;
    private final long startNanos = System.nanoTime();
    private final CompletableFuture<RunningService> future = new CompletableFuture<>();
    private volatile ServiceState state = ServiceState.RESOLVING;
    private volatile FoundBundle bundle;
    private volatile String source;
    private volatile RunningService running;
    private volatile AnepException failure;
    private volatile long endNanos;

    Deployment(int typeId) {
        this.typeId = typeId;
    }

    CompletableFuture<RunningService> future() {
        return future;
    }

    void found(FoundBundle bundle, String source) {
        this.bundle = bundle;
        this.source = source;
    }

    void enter(ServiceState state) {
        this.state = state;
    }

    void active(RunningService service) {
        running = service;
        endNanos = System.nanoTime();
        state = ServiceState.ACTIVE;
        future.complete(service);
    }

    void failed(AnepException why) {
        failure = why;
        endNanos = System.nanoTime();
        state = ServiceState.FAILED;
        future.completeExceptionally(why);
    }

    /** Whether it has failed so long ago that another attempt is due. */
    boolean mayBeTriedAgain(long rememberNanos) {
        return state == ServiceState.FAILED && System.nanoTime() - endNanos > rememberNanos;
    }

    ServiceStatus status() {
        long end = endNanos == 0 ? System.nanoTime() : endNanos;
        RunningService service = running;
        FoundBundle known = bundle;
        return new ServiceStatus(Anep.typeName(typeId), known == null ? null : known.name(), known == null ? null : known.version(),
                known == null ? null : known.level(), state.name().toLowerCase(java.util.Locale.ROOT), source,
                failure == null ? null : failure.getMessage(), (end - startNanos) / 1_000_000, known == null ? null : known.sha256(),
                service == null ? 0 : service.streams(), service == null ? 0 : service.streamsTotal(),
                service == null ? 0 : service.packets(), service == null ? 0 : service.errors());
    }
}
