package org.tamanoir.http;

import io.netty.handler.codec.http.HttpUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** What the connections of one server share: routes, limits, workers, and the counts that keep them bounded. */
final class ServerCore {
    private final Routes routes;
    private final HttpLimits limits;
    private final ThreadPoolExecutor workers;
    private final AtomicLong bodyMemory = new AtomicLong();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final Map<InetAddress, Integer> ofPeer = new ConcurrentHashMap<>();

    ServerCore(String name, Routes routes, HttpLimits limits, int threads) {
        this.routes = routes;
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

    Set<Connection> connections() {
        return connections;
    }

    /**
     * Decides from its head whether a request is taken, and where its body goes.
     *
     * @throws org.tamanoir.anep.AnepException if it is not taken
     */
    BodySink judge(Request request) {
        Route route = request.route();
        route.guard().check(request);
        if (HttpUtil.getContentLength(request.head(), 0L) > route.limit(limits)) {
            throw Refusal.tooLarge(route.limit(limits));
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
    boolean admit(Connection connection, InetSocketAddress peer) {
        connections.add(connection);
        int same = ofPeer.merge(peer.getAddress(), 1, Integer::sum);
        return connections.size() <= limits.connections() && same <= limits.connectionsOfPeer();
    }

    void closed(Connection connection, InetSocketAddress peer) {
        if (connections.remove(connection)) {
            ofPeer.computeIfPresent(peer.getAddress(), (address, count) -> count == 1 ? null : count - 1);
        }
    }

    void stopWorkers(long millis) throws InterruptedException {
        workers.shutdown();
        if (!workers.awaitTermination(millis, TimeUnit.MILLISECONDS)) {
            workers.shutdownNow();
        }
    }
}
