package org.tamanoir.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.net.ssl.SSLSession;
import org.tamanoir.anep.AnepException;

/** What the connections of one server share: routes, limits, workers, and the counts that keep them bounded. */
final class ServerCore {
    private final Routes routes;
    private final HttpLimits limits;
    private final AuditHook journal;
    private final Function<SSLSession, List<String>> names;
    private final ThreadPoolExecutor workers;
    private final AtomicLong bodyMemory = new AtomicLong();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final Map<Object, Integer> ofPeer = new ConcurrentHashMap<>();

    ServerCore(String name, Routes routes, HttpLimits limits, int threads, AuditHook journal, Function<SSLSession, List<String>> names) {
        this.routes = routes;
        this.journal = journal;
        this.names = names;
        this.limits = limits;
        // A connection has one task at a time; the second half is for what closed connections left to clean up.
        this.workers = new ThreadPoolExecutor(threads, threads, 30, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(2 * limits.connections()), new DefaultThreadFactory(name + "-worker", true));
        workers.allowCoreThreadTimeOut(true);
    }

    Routes routes() {
        return routes;
    }

    HttpLimits limits() {
        return limits;
    }

    AuditHook journal() {
        return journal;
    }

    /** What the certificate of a peer says. */
    List<String> names(SSLSession session) {
        return names.apply(session);
    }

    Set<Connection> connections() {
        return connections;
    }

    /**
     * Decides from its head whether a request is taken, and where its body goes. On a worker if its route is {@link Route#taking}, and may wait then.
     *
     * @throws org.tamanoir.anep.AnepException if it is not taken
     */
    BodySink judge(Request request) {
        Route route = request.route();
        route.guard().check(request);
        if (HttpUtil.getContentLength(request.head(), 0L) > route.limit(limits)) {
            throw Refusal.tooLarge(route.limit(limits));
        }
        if (route.taking() != null) {
            return new BodyTaker.Sink(route.taking().apply(request), workers);
        }
        return route.uploadDirectory() == null ? new MemoryBody(bodyMemory, limits.bodyMemory())
                : new FileBody(route.uploadDirectory(), workers);
    }

    /** @return false if the queue is full or the server has stopped */
    boolean execute(Runnable task) {
        return execute(workers, task);
    }

    /** Runs the handler of a route. @return false if its threads take no more */
    boolean execute(Route route, Runnable task) {
        return execute(route.threads() == null ? workers : route.threads(), task);
    }

    private static boolean execute(Executor threads, Runnable task) {
        try {
            threads.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Counts a new connection. @return false if it is one too many; {@link #closed} is due all the same */
    boolean admit(Connection connection, Object account) {
        connections.add(connection);
        int same = ofPeer.merge(account, 1, Integer::sum);
        return connections.size() <= limits.connections() && same <= limits.connectionsOfPeer();
    }

    void closed(Connection connection, Object account) {
        if (connections.remove(connection)) {
            ofPeer.computeIfPresent(account, (key, count) -> count == 1 ? null : count - 1);
        }
    }

    void stopWorkers(long millis) throws InterruptedException {
        workers.shutdown();
        if (!workers.awaitTermination(millis, TimeUnit.MILLISECONDS)) {
            workers.shutdownNow();
        }
    }

    /** A body in memory, paid for from what the whole server has for bodies. */
    static final class MemoryBody implements BodySink {
        private final AtomicLong used;
        private final long most;
        private final ByteArrayOutputStream octets = new ByteArrayOutputStream();
        private long mine;

        /**
         * @param used octets that all bodies of the server hold
         * @param most what they may hold together
         */
        MemoryBody(AtomicLong used, long most) {
            this.used = used;
            this.most = most;
        }

        @Override
        public synchronized void accept(ByteBuf piece, Consumer<AnepException> done) {
            int size = piece.readableBytes();
            AnepException refusal = null;
            try {
                if (used.addAndGet(size) > most) {
                    // What is not kept must not keep others out.
                    used.addAndGet(-size);
                    refusal = Refusal.tooManyRequests();
                } else {
                    mine += size;
                    piece.readBytes(octets, size);
                }
            } catch (IOException e) {
                throw new IllegalStateException("memory has no I/O errors", e);
            } finally {
                piece.release();
            }
            done.accept(refusal);
        }

        @Override
        public synchronized void finish(Request request) {
            request.setBody(octets.toByteArray());
        }

        @Override
        public synchronized void discard() {
            used.addAndGet(-mine);
            mine = 0;
        }
    }
}
