package org.tamanoir.node.deploy;

import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** The OSGi framework of a node, started beside the rest of it: that takes longest of all, and needs a directory alone. */
public final class Framework implements AutoCloseable {
    private final FutureTask<ServiceContainer> start;

    /** @param directory of the node; the framework keeps its cache in a folder of it */
    public Framework(Path directory) {
        start = new FutureTask<>(() -> new ServiceContainer(directory.resolve("framework")));
        Thread thread = new Thread(start, "tamanoir-framework");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Waits until it has started.
     *
     * @throws AnepException EE-599 if it does not
     */
    ServiceContainer container() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return start.get();
                } catch (InterruptedException e) {
                    // Whoever closes the node must have the framework, interrupted or not; it is a matter of a second.
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof AnepException known ? known
                    : new AnepException(ErrorCode.INTERNAL, "the OSGi framework does not start: " + e.getCause(), e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        container().close();
    }
}
