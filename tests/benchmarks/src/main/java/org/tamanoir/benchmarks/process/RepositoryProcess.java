package org.tamanoir.benchmarks.process;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.LabProcess;

/** A running {@code tamanoir repository run} on loopback. */
public final class RepositoryProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String READY = "READY repository ";

    private final Build build;
    private final Starter starter;
    private final LabProcess process;
    private final String url;

    private static List<String> trust(Signer signer) {
        return signer == null ? List.of("--development") : List.of("--trust", signer.publishers().toString());
    }

    private RepositoryProcess(Build build, Starter starter, Path data, int port, List<String> options) {
        this.build = build;
        this.starter = starter;
        process = starter.start("repository", Command.append(build.command("repository", "run", "--listen", "127.0.0.1:" + port,
                "--data", data.toString()), options));
        // READY repository http://127.0.0.1:41234
        url = process.awaitLine(READY, PATIENCE).substring(READY.length()).split(" ")[0];
    }

    /** Starts it on a free port, in development mode. @throws LabException if it does not get ready; the message holds what it wrote */
    public static RepositoryProcess start(Starter starter, Path data) {
        return start(Build.own(), starter, data);
    }

    /** The same of another build. */
    public static RepositoryProcess start(Build build, Starter starter, Path data) {
        return new RepositoryProcess(build, starter, data, 0, trust(null));
    }

    /**
     * Starts it on a port, where it may have been before.
     *
     * @param port   0 for any
     * @param signer whose bundles alone it takes; null: it takes all
     */
    public static RepositoryProcess start(Starter starter, Path data, int port, Signer signer) {
        return new RepositoryProcess(Build.own(), starter, data, port, trust(signer));
    }

    /**
     * The same in development mode with a repository that is in a database.
     *
     * @param data its cache
     * @param database {@code jdbc:postgresql://…}
     */
    public static RepositoryProcess shared(Starter starter, Path data, int port, String database) {
        return new RepositoryProcess(Build.own(), starter, data, port, List.of("--development", "--database", database));
    }

    /** {@code http://127.0.0.1:PORT}. */
    public String url() {
        return url;
    }

    public long pid() {
        return process.pid();
    }

    /** Pushes a bundle of the build with {@code tamanoir service push}. @throws LabException if it is refused */
    public void push(String service) {
        List<String> command = build.command("service", "push", "--repository", url, build.bundle(service).toString());
        try (LabProcess push = starter.start("service push", command)) {
            int exit = push.awaitExit(PATIENCE);
            if (exit != 0) {
                throw new LabException("service push ended with " + exit + ": " + push.errors());
            }
        }
    }

    /**
     * Pushes a bundle over HTTP, as {@code service push} does, without the time of a program's start.
     *
     * @return what the catalogue says of it
     * @throws org.tamanoir.anep.AnepException why not
     */
    public JsonNode put(Path bundle) {
        return HttpFetch.of(url, ErrorCode.REPOSITORY_UNREACHABLE).put("/bundles", bundle);
    }

    public int port() {
        return URI.create(url).getPort();
    }

    /** Kills it (SIGKILL), in whatever it is doing. */
    public void kill() {
        process.kill();
    }

    @Override
    public void close() {
        process.close();
    }
}
