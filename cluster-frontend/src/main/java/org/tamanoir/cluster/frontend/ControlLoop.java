package org.tamanoir.cluster.frontend;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.engine.Engine;
import org.tamanoir.cluster.plan.Plan;

/**
 * Looks ten times a second at what the plan should be and has the engine carry it. A plan that the engine refuses is tried again after a while, and
 * another one at once: until then the last good one stays. Why is said once for as long as it is the same.
 */
final class ControlLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControlLoop.class);
    private static final long LOOK_MILLIS = 100;
    private static final long AGAIN_NANOS = 5_000_000_000L;
    private static final long STOP_SECONDS = 10;

    private final ClusterState cluster;
    private final Engine engine;
    private final PlanFile file;
    private final ScheduledExecutorService looking = new ScheduledThreadPoolExecutor(1, task -> new Thread(task, "tamanoir-frontend"));
    private Plan carried;
    private Plan refused;
    private long refusedNanos;
    private volatile String problem;

    ControlLoop(ClusterState cluster, Engine engine, PlanFile file) {
        this.cluster = cluster;
        this.engine = engine;
        this.file = file;
    }

    void start() {
        looking.scheduleWithFixedDelay(this::look, 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Why the plan of now is not carried; null if it is. */
    String problem() {
        return problem;
    }

    private void look() {
        try {
            Plan plan = cluster.plan(engine.alive());
            if (plan.equals(carried) || plan.equals(refused) && System.nanoTime() - refusedNanos < AGAIN_NANOS) {
                return;
            }
            apply(plan);
        } catch (RuntimeException e) {
            // The next look must come all the same.
            problem = ErrorCode.INTERNAL + " " + e;
            LOG.error("the cluster is not looked at", e);
        }
    }

    private void apply(Plan plan) {
        try {
            engine.apply(plan);
            carried = plan;
            refused = null;
            problem = null;
            file.write(plan);
        } catch (AnepException e) {
            // Weights change every few seconds, and with them the plan: what is wrong with it does not.
            if (!e.getMessage().equals(problem)) {
                LOG.error("the director does not carry the new plan, the last good one stays: {}", e.getMessage());
            }
            refused = plan;
            refusedNanos = System.nanoTime();
            problem = e.getMessage();
        }
    }

    /** Looks no more; the engine stays as it is. */
    @Override
    public void close() {
        looking.shutdown();
        try {
            looking.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
