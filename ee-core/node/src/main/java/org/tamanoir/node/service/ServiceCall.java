package org.tamanoir.node.service;

import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** A call of a service on a thread of the node, apart from streams: watched, so that it ends in time. */
public final class ServiceCall {
    private ServiceCall() {
    }

    /**
     * Calls a service; it returns within the time that its policy allows, or is stopped.
     *
     * @param what for messages: what it is to do
     * @throws AnepException what it throws with a code of its own; EE-306 for anything else, EE-307 if it was stopped
     */
    public static <T> T of(RunningService service, ServiceWatch watch, String what, Callable<T> call) {
        ServiceWatch.Mark mark = watch.ofThisThread();
        mark.enter(service);
        Throwable error = null;
        T result = null;
        try {
            result = call.call();
        } catch (Throwable e) {
            error = e;
        } finally {
            mark.leave();
        }
        if (mark.wasStopped()) {
            service.error();
            throw new AnepException(ErrorCode.SERVICE_TIMEOUT, service + " did not " + what + " in time", error);
        }
        if (error instanceof AnepException known) {
            throw known;
        }
        if (error != null) {
            service.error();
            throw new AnepException(ErrorCode.SERVICE_ERROR, service + " failed to " + what + ": " + error, error);
        }
        return result;
    }
}
