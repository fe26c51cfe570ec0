package org.tamanoir.node.manage;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads of the admin API for requests that may wait. The server's own workers answer what never waits, such as {@code /health} and
 * {@code /metrics}, whatever is under way here. Each pool has a bound; a request beyond it is answered with EE-410.
 */
final class AdminThreads implements AutoCloseable {
    private static final int IDLE_SECONDS = 30;

    /** Upgrades and deployments: they wait for repositories, up to 40 s each. */
    private final ThreadPoolExecutor deployments = pool("deploy", 4, 16);
    /** Changes of the configuration, one at a time: they wait for services to take their options. */
    private final ThreadPoolExecutor changes = pool("change", 1, 64);
    /** Questions that services and event loops answer. */
    private final ThreadPoolExecutor questions = pool("ask", 4, 64);

    private static ThreadPoolExecutor pool(String name, int threads, int waiting) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(waiting),
                new DefaultThreadFactory("tamanoir-admin-" + name, true));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    Executor deployments() {
        return deployments;
    }

    Executor changes() {
        return changes;
    }

    Executor questions() {
        return questions;
    }

    /** To be called after the server has been closed: what is under way then is interrupted. */
    @Override
    public void close() {
        deployments.shutdownNow();
        changes.shutdownNow();
        questions.shutdownNow();
    }
}
