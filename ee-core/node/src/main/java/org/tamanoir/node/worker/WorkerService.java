package org.tamanoir.node.worker;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.WorkerLimits;
import org.tamanoir.service.worker.Worker;
import org.tamanoir.service.worker.WorkerHandler;
import org.tamanoir.service.worker.Workers;

/** The workers of a node's services. Safe for all threads. */
public final class WorkerService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerService.class);
    /** How often it is looked what they take. */
    private static final int LOOK_MILLIS = 100;

    private final Sandbox sandbox = new Sandbox();
    private final Set<ServiceWorker> all = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor watch = new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory("tamanoir-workers", true));

    public WorkerService() {
        watch.scheduleWithFixedDelay(() -> all.forEach(WorkerService::look), LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** One that cannot be looked at keeps nobody from looking at the others. */
    private static void look(ServiceWorker worker) {
        try {
            worker.look();
        } catch (RuntimeException e) {
            LOG.warn("a worker cannot be looked at", e);
        }
    }

    /**
     * The workers of one service.
     *
     * @param service asked whenever one is started; null while it starts
     * @param tasks   where it is told
     */
    public Workers forService(Supplier<RunningService> service, Executor tasks) {
        return new OfService(service, tasks);
    }

    /** Ends all that are left. */
    @Override
    public void close() {
        watch.shutdownNow();
        all.forEach(ServiceWorker::forget);
        all.forEach(ServiceWorker::sweep);
    }

    /** See {@link Workers}; ends with its service. */
    private final class OfService implements Workers, AutoCloseable {
        private final Supplier<RunningService> service;
        private final Executor tasks;
        private final Set<ServiceWorker> own = new HashSet<>();
        private boolean ended;

        private OfService(Supplier<RunningService> service, Executor tasks) {
            this.service = service;
            this.tasks = tasks;
        }

        private RunningService asking() {
            RunningService asking = service.get();
            if (asking == null) {
                throw new IllegalStateException("a service starts workers when it has started");
            }
            return asking;
        }

        private Path allowed(RunningService asking, String program) {
            if (!asking.policy().workers().programs().contains(program)) {
                throw new AnepException(ErrorCode.NOT_PERMITTED, asking + " may not run " + program + ": its policy does not name it (workers: programs)");
            }
            return Sandbox.find(program);
        }

        @Override
        public String problem(String program) {
            try {
                allowed(asking(), program);
                return null;
            } catch (AnepException e) {
                return e.getMessage();
            }
        }

        @Override
        public Worker start(Program program, WorkerHandler handler) {
            RunningService asking = asking();
            Path path = allowed(asking, program.name());
            WorkerLimits limits = asking.policy().workers();
            List<String> command = sandbox.command(path, program.arguments(), limits);
            ServiceWorker worker;
            synchronized (this) {
                if (ended) {
                    throw new AnepException(ErrorCode.STOPPING, asking + " stops and starts no worker");
                }
                if (!asking.workers().begin(limits.count())) {
                    throw new AnepException(ErrorCode.SERVICE_LIMIT, asking + " has " + limits.count() + " workers and may have no more (workers: count of its policy)");
                }
                worker = new ServiceWorker(program.name(), command, limits, handler, tasks, (done, reason) -> {
                    asking.workers().end(reason);
                    gone(done);
                });
                own.add(worker);
                all.add(worker);
            }
            worker.begin();
            return worker;
        }

        private synchronized void gone(ServiceWorker worker) {
            own.remove(worker);
            all.remove(worker);
        }

        @Override
        public void close() {
            List<ServiceWorker> left;
            synchronized (this) {
                ended = true;
                left = List.copyOf(own);
            }
            left.forEach(ServiceWorker::forget);
        }
    }
}
