package org.tamanoir.lab;

import com.sun.jna.LastErrorException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Tasks of this process in the network namespace of a host: setns(2) moves one thread, which ends with the task. */
final class Inside {
    private Inside() {
    }

    static <T> T of(String namespace, Callable<T> task) throws Exception {
        FutureTask<T> future = new FutureTask<>(() -> {
            enter(namespace);
            return task.call();
        });
        Thread thread = new Thread(future, "inside " + namespace);
        thread.setDaemon(true);
        thread.start();
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw (Exception) e.getCause();
        }
    }

    /** Moves the thread that calls. */
    private static void enter(String namespace) {
        try {
            int descriptor = LibC.open("/run/netns/" + namespace, 0);
            try {
                LibC.setns(descriptor, LibC.CLONE_NEWNET);
            } finally {
                LibC.close(descriptor);
            }
        } catch (LastErrorException e) {
            throw new LabException("cannot enter the namespace " + namespace, e);
        }
    }
}
