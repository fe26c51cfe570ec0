package org.tamanoir.node.stream;

import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.service.StreamHandler;

/**
 * A service, its handler for one stream, what that handler has to do between packets, and whether it has failed. Used on the thread of the
 * handler.
 */
final class OpenHandler {
    private final RunningService service;
    private final StreamHandler handler;
    private final HandlerTasks tasks;
    private final SourcePause pause;
    private final SourcePause returnPause;
    private final Checkpoints checkpoints;
    private boolean failed;
    private FailurePolicy instead;

    /** @param checkpoints null for one that knows nothing that another node would have to know */
    OpenHandler(RunningService service, StreamHandler handler, HandlerTasks tasks, SourcePause pause, SourcePause returnPause, Checkpoints checkpoints) {
        this.service = service;
        this.handler = handler;
        this.tasks = tasks;
        this.pause = pause;
        this.returnPause = returnPause;
        this.checkpoints = checkpoints;
    }

    RunningService service() {
        return service;
    }

    StreamHandler handler() {
        return handler;
    }

    HandlerTasks tasks() {
        return tasks;
    }

    SourcePause pause() {
        return pause;
    }

    /** The same for the way back, whose source is the destination. */
    SourcePause returnPause() {
        return returnPause;
    }

    Checkpoints checkpoints() {
        return checkpoints;
    }

    /** It is not called any more, in neither direction. */
    boolean hasFailed() {
        return failed;
    }

    /** What packets do in its place after a failure: bypass or drop; null if the stream has ended with it. */
    FailurePolicy instead() {
        return instead;
    }

    /** @param instead of the handler from now on, or null if the stream ends */
    void failed(FailurePolicy instead) {
        this.failed = true;
        this.instead = instead;
        tasks.stop();
        pause.release();
        returnPause.release();
    }
}
