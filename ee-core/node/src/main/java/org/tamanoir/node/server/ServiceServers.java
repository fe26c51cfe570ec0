package org.tamanoir.node.server;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.http.fetch.HttpFetch;
import org.tamanoir.service.Configuration;

/** What a node needs to ask the servers of its services: threads that wait for answers, none while nothing is asked. Safe for all threads. */
public final class ServiceServers implements AutoCloseable {
    private static final String TOKEN_FILE = "-token-file";
    private static final int MOST_TOKEN = 4096;

    private final Supplier<SSLContext> tls;
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory("tamanoir-server-clock", true));
    /** As many as there are requests under way, which each service has a bound for. */
    private final ExecutorService waiting = Executors.newCachedThreadPool(new DefaultThreadFactory("tamanoir-server", true));

    /** @param tls for https, asked once for each server; it may give null for the JDK's authorities */
    public ServiceServers(Supplier<SSLContext> tls) {
        this.tls = tls;
        clock.setRemoveOnCancelPolicy(true);
    }

    /**
     * The server that an option names.
     *
     * @param tasks where the service is told
     * @return null if the option is not set
     * @throws AnepException EE-501
     */
    public ServerContact of(String service, Configuration options, String option, Executor tasks) {
        String url = options.text(option, null);
        String file = options.text(option + TOKEN_FILE, null);
        if (url == null) {
            if (file != null) {
                throw new AnepException(ErrorCode.BAD_CONFIGURATION, "services: " + service + ": " + option + TOKEN_FILE + " is set, and " + option + " is not");
            }
            return null;
        }
        try {
            HttpFetch http = HttpFetch.of(url, ErrorCode.UNREACHABLE).tls(url.startsWith("https") ? tls.get() : null);
            Supplier<String> token = () -> file == null ? null : token(Path.of(file));
            token.get();
            return new ServerContact(service, http, token, this, tasks);
        } catch (AnepException e) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "services: " + service + ": " + option + ": " + e.text(), e);
        }
    }

    /** Read for each request, so that it can be replaced. */
    private static String token(Path file) {
        String token;
        try {
            token = Files.readString(file).lines().findFirst().orElse("").strip();
        } catch (IOException e) {
            throw new AnepException(ErrorCode.STORAGE, "cannot read the token in " + file + ": " + AnepException.reason(e), e);
        }
        if (token.isEmpty() || token.length() > MOST_TOKEN || !token.chars().allMatch(each -> each > ' ' && each < 0x7F)) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, file + " must hold 1 to " + MOST_TOKEN + " printable characters of ASCII without spaces");
        }
        return token;
    }

    /** Runs something that waits, on a thread for it alone. Throws RejectedExecutionException when the node stops. */
    Future<?> run(Runnable request) {
        return waiting.submit(request);
    }

    /** Runs something short after a time. */
    Future<?> after(long nanos, Runnable alarm) {
        return clock.schedule(alarm, nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        clock.shutdownNow();
        // They wait for answers and write no file.
        waiting.shutdownNow();
    }
}
