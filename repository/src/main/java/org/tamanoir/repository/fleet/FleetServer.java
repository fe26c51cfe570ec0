package org.tamanoir.repository.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.fleet.rollout.FleetCore;
import org.tamanoir.fleet.rollout.FleetCore.Proposal;
import org.tamanoir.fleet.rollout.FleetCore.Wish;
import org.tamanoir.fleet.rollout.Generation;
import org.tamanoir.fleet.rollout.RolloutState;
import org.tamanoir.fleet.rollout.RolloutState.Phase;
import org.tamanoir.fleet.state.NodeEntry;

/** Drives a {@link FleetCore}: one change at a time, on the disk before anybody is told. For any thread. */
public final class FleetServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FleetServer.class);
    private static final long TICK_MILLIS = 500;
    private static final long CLOSE_SECONDS = 5;

    private final FleetStore store;
    private final InstantSource clock;
    private final LongSupplier millis;
    private final ScheduledExecutorService ticking = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "fleet");
        thread.setDaemon(true);
        return thread;
    });
    private FleetCore core;
    private String unkept;
    /** For who decides who may ask: it must not wait. */
    private volatile Map<String, NodeEntry> nodes = Map.of();

    /**
     * @param clock  for what people read: when something was applied
     * @param millis of a clock that does not go back: for all that is decided
     * @throws AnepException EE-503 if what was kept cannot be read
     */
    public FleetServer(FleetStore store, InstantSource clock, LongSupplier millis) {
        this.store = store;
        this.clock = clock;
        this.millis = millis;
        read();
        ticking.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void read() {
        core = new FleetCore(store.read(), store::generation, millis.getAsLong());
        nodes = core.state() == null ? Map.of() : core.state().nodes();
    }

    private String now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** A node of the fleet; null if it has none of this name. Does not wait. */
    NodeEntry node(String name) {
        return nodes.get(name);
    }

    private void keep(Proposal proposal) {
        try {
            store.commit(proposal.record(), proposal.added());
        } catch (AnepException e) {
            if (e.code() == ErrorCode.FLEET_CHANGED) {
                read();
            }
            throw e;
        }
        core.took(proposal, millis.getAsLong());
        nodes = core.state().nodes();
        RolloutState rollout = proposal.record().rollout();
        if (rollout.phase() == Phase.STOPPED) {
            LOG.warn("{} the roll-out of generation {} has stopped: {}", ErrorCode.ROLLOUT_STOPPED, rollout.generation(), rollout.why());
        } else {
            LOG.info("generation {}: {}, ring {}", rollout.generation(), rollout.phase(), rollout.ring() + 1);
        }
    }

    private synchronized void tick() {
        try {
            Proposal proposal = core.tick(millis.getAsLong(), now());
            if (proposal != null) {
                keep(proposal);
            }
            unkept = null;
        } catch (RuntimeException e) {
            // Nothing has changed: it is decided again in half a second.
            if (!e.toString().equals(unkept)) {
                LOG.error("the roll-out does not go on", e);
            }
            unkept = e.toString();
        }
    }

    /**
     * Makes a new generation.
     *
     * @return whether anything has changed
     * @throws AnepException EE-409, EE-640, EE-641, EE-642
     */
    synchronized boolean apply(Wish wish) {
        return kept(core.apply(wish, now()));
    }

    /** @throws AnepException EE-407, EE-409, EE-641, EE-642 */
    synchronized boolean rollback(long to, Wish wish) {
        return kept(core.rollback(to, wish, now()));
    }

    private boolean kept(Proposal proposal) {
        if (proposal != null) {
            keep(proposal);
        }
        return proposal != null;
    }

    /** Looks at how it stands. @param view of the core, and of the time that it goes by */
    synchronized <T> T look(Function<FleetCore, T> view) {
        return view.apply(core);
    }

    long millis() {
        return millis.getAsLong();
    }

    synchronized FleetCore.Answer answer(String node) {
        return core.answer(node);
    }

    /** @return after how many milliseconds the node is to report again */
    synchronized long report(String node, NodeReport report) {
        return core.report(node, report, millis.getAsLong());
    }

    List<Generation.Head> history() {
        return store.history();
    }

    Generation generation(long number) {
        return store.generation(number);
    }

    /** What a state would change. */
    synchronized JsonNode plan(JsonNode state) {
        return FleetViews.plan(core, state);
    }

    /** What is being written is written to its end. */
    @Override
    public void close() {
        ticking.shutdown();
        try {
            if (!ticking.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("the fleet's disk does not answer");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
