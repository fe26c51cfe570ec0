package org.tamanoir.benchmarks.process;

import java.nio.file.Path;
import java.time.Duration;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/** A running {@code tamanoir repository run} on loopback. */
public final class RepositoryProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String READY = "READY repository ";

    private final Starter starter;
    private final LabProcess process;
    private final String url;

    private RepositoryProcess(Starter starter, LabProcess process) {
        this.starter = starter;
        this.process = process;
        // READY repository http://127.0.0.1:41234
        this.url = process.awaitLine(READY, PATIENCE).substring(READY.length()).split(" ")[0];
    }

    /** Starts it. @throws LabException if it does not get ready; the message holds what it wrote */
    public static RepositoryProcess start(Starter starter, Path data) {
        return new RepositoryProcess(starter, starter.start("repository",
                CommandLineTool.command("repository", "run", "--listen", "127.0.0.1:0", "--data", data.toString(), "--development")));
    }

    /** {@code http://127.0.0.1:PORT}. */
    public String url() {
        return url;
    }

    /** Pushes a bundle of the build with {@code tamanoir service push}. @throws LabException if it is refused */
    public void push(String service) {
        try (LabProcess push = starter.start("service push", CommandLineTool.command("service", "push", "--repository", url,
                CommandLineTool.bundle(service).toString()))) {
            int exit = push.awaitExit(PATIENCE);
            if (exit != 0) {
                throw new LabException("service push ended with " + exit + ": " + push.errors());
            }
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
