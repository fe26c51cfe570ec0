package org.tamanoir.repository.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.fleet.contact.Contact;
import org.tamanoir.fleet.report.NodeReport;
import org.tamanoir.fleet.rollout.FleetCore;
import org.tamanoir.fleet.rollout.FleetCore.Loaded;
import org.tamanoir.fleet.rollout.FleetCore.Proposal;
import org.tamanoir.fleet.rollout.FleetCore.Wish;
import org.tamanoir.fleet.rollout.FleetRecord;
import org.tamanoir.fleet.rollout.Generation;
import org.tamanoir.fleet.rollout.RolloutState;
import org.tamanoir.fleet.rollout.RolloutState.Phase;
import org.tamanoir.fleet.state.NodeEntry;
import org.tamanoir.repository.fleet.FleetStore.Said;

/**
 * Drives a {@link FleetCore}: one change at a time, kept before anybody is told. Other processes may lead the same fleet by the same store; each learns within
 * half a second what the others have kept and heard, and of two that decide at once one wins. Nobody waits for the store who only asks. For any thread.
 */
public final class FleetServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FleetServer.class);
    private static final long TICK_MILLIS = 500;
    private static final long CLOSE_SECONDS = 5;
    /** Of a change, each of which comes behind one of another process. */
    private static final int MOST_ATTEMPTS = 5;
    private static final long WAIT_SECONDS = 5;
    /** Whoever was away for longer than a few ticks has not heard the nodes meanwhile, and leaves them as long to report again before it takes one for silent. */
    private static final long GAP_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long QUIET_NANOS = Contact.MOST.plusSeconds(10).toNanos();
    /** Of what the others have heard before this process was there: a node says it again, and until then has only not said it yet. */
    private static final long FRESH_MILLIS = 10_000;

    private final FleetStore store;
    private final InstantSource clock;
    private final LongSupplier millis;
    private final ScheduledExecutorService ticking = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "fleet");
        thread.setDaemon(true);
        return thread;
    });
    /** Who changes something has this, and may wait for the store; the monitor is never held meanwhile. */
    private final ReentrantLock changing = new ReentrantLock(true);
    private final FleetCore core;
    /** Reports that the others have not been told of, and when they came. */
    private Map<String, Long> untold = new HashMap<>();
    private boolean isNew = true;
    private long ticked = System.nanoTime();
    private long quietUntil = ticked;
    /** What was said last of what goes wrong; null if all is well. */
    private ErrorCode unkept;
    /** The store did not answer; null if it does. */
    private volatile AnepException away;
    /** For who decides who may ask: it must not wait. */
    private volatile Map<String, NodeEntry> nodes;

    /**
     * @param store  is closed with this, or if this throws
     * @param clock  for what people read: when something was applied
     * @param millis of a clock that does not go back: for all that is decided
     * @throws AnepException EE-503 if what was kept cannot be read
     */
    public FleetServer(FleetStore store, InstantSource clock, LongSupplier millis) {
        this.store = store;
        this.clock = clock;
        this.millis = millis;
        try {
            core = new FleetCore(store.read(), store::generation, millis.getAsLong());
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
        nodes = core.state() == null ? Map.of() : core.state().nodes();
        ticking.scheduleWithFixedDelay(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private String now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** A node of the fleet; null if it has none of this name. Does not wait. */
    NodeEntry node(String name) {
        return nodes.get(name);
    }

    private synchronized void learn(Loaded next) {
        core.learn(next, millis.getAsLong());
        nodes = core.state() == null ? Map.of() : core.state().nodes();
    }

    /** Learns what another process has kept. @throws AnepException EE-435 to EE-439 if the store cannot be asked; nobody waits for one that is known to be away */
    void refresh() {
        AnepException problem = away;
        if (problem != null) {
            throw new AnepException(problem.code(), problem.text(), problem);
        }
        FleetRecord known = look(FleetCore::record);
        if (!store.hasChanged(known)) {
            return;
        }
        lock();
        try {
            if (look(FleetCore::record) == known) {
                learn(Loaded.of(store.read(), store::generation));
            }
        } finally {
            changing.unlock();
        }
    }

    private void lock() {
        try {
            if (!changing.tryLock(WAIT_SECONDS, TimeUnit.SECONDS)) {
                throw new AnepException(ErrorCode.BUSY, "another change of the fleet has not been kept for " + WAIT_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AnepException(ErrorCode.STOPPING, "it is stopping", e);
        }
    }

    /** @return whether anything has changed */
    private boolean change(Function<FleetCore, Proposal> decision) {
        lock();
        try {
            for (int attempt = 1;; attempt++) {
                Proposal proposal = look(decision);
                if (proposal == null) {
                    return false;
                }
                try {
                    keep(proposal);
                    return true;
                } catch (AnepException e) {
                    // Another process was first, as a rule with the next step of a roll-out. What it has done is known by now: the decision says whether it still stands.
                    if (e.code() != ErrorCode.FLEET_CHANGED || attempt == MOST_ATTEMPTS) {
                        throw e;
                    }
                }
            }
        } finally {
            changing.unlock();
        }
    }

    private void keep(Proposal proposal) {
        try {
            store.commit(proposal.record(), proposal.added());
        } catch (AnepException e) {
            if (e.code() == ErrorCode.FLEET_CHANGED) {
                learn(Loaded.of(store.read(), store::generation));
            }
            throw e;
        }
        learn(look(each -> each.after(proposal)));
        RolloutState rollout = proposal.record().rollout();
        if (rollout.phase() == Phase.STOPPED) {
            LOG.warn("{} the roll-out of generation {} has stopped: {}", ErrorCode.ROLLOUT_STOPPED, rollout.generation(), rollout.why());
        } else {
            LOG.info("generation {}: {}, ring {}", rollout.generation(), rollout.phase(), rollout.ring() + 1);
        }
    }

    private void tick() {
        try {
            meet();
            if (System.nanoTime() - ticked > GAP_NANOS) {
                LOG.warn("this process has not heard of the others for {} s: for {} s it decides nothing of a roll-out", TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - ticked),
                        TimeUnit.NANOSECONDS.toSeconds(QUIET_NANOS));
                quietUntil = System.nanoTime() + QUIET_NANOS;
            }
            ticked = System.nanoTime();
            if (ticked - quietUntil >= 0) {
                change(each -> each.tick(millis.getAsLong(), now()));
            }
            unkept = null;
        } catch (AnepException e) {
            // Nothing has changed: it is decided again in half a second. Another process may have decided the same.
            if (e.code() != ErrorCode.FLEET_CHANGED && unkept != e.code()) {
                unkept = e.code();
                LOG.warn("the fleet is led with what is known, and no roll-out goes on: {}", e.getMessage());
            }
        } catch (RuntimeException e) {
            if (unkept != ErrorCode.INTERNAL) {
                unkept = ErrorCode.INTERNAL;
                LOG.error("leading the fleet has a defect; it goes on", e);
            }
        }
    }

    /** Tells the other processes what this one knows, and learns what they know. */
    private void meet() {
        try {
            exchange();
            away = null;
            refresh();
        } catch (AnepException e) {
            if (e.code() != ErrorCode.BUSY) {
                away = e;
            }
            throw e;
        }
    }

    private void exchange() {
        Map<String, Long> telling;
        List<Said> here = new ArrayList<>();
        synchronized (this) {
            telling = untold;
            untold = new HashMap<>();
            telling.forEach((node, at) -> core.lastReport(node).ifPresent(report -> here.add(new Said(node, report, millis.getAsLong() - at))));
        }
        List<Said> there;
        try {
            there = store.exchange(here);
        } catch (RuntimeException e) {
            synchronized (this) {
                telling.forEach(untold::putIfAbsent);
            }
            throw e;
        }
        synchronized (this) {
            long now = millis.getAsLong();
            there.stream().filter(each -> !isNew || each.ageMillis() < FRESH_MILLIS).forEach(each -> core.heard(each.node(), each.report(), now - each.ageMillis(), now));
        }
        isNew = false;
    }

    /**
     * Makes a new generation.
     *
     * @return whether anything has changed
     * @throws AnepException EE-409, EE-640, EE-641, EE-642; EE-435 to EE-439 of a database
     */
    boolean apply(Wish wish) {
        refresh();
        return change(each -> each.apply(wish, now()));
    }

    /** @throws AnepException EE-407, EE-409, EE-641, EE-642; EE-435 to EE-439 of a database */
    boolean rollback(long to, Wish wish) {
        refresh();
        return change(each -> each.rollback(to, wish, now()));
    }

    /** Looks at how it stands, as far as this process knows. @param view of the core */
    synchronized <T> T look(Function<FleetCore, T> view) {
        return view.apply(core);
    }

    /** The same with all that is kept by now, if the store can be asked. */
    <T> T lookNow(Function<FleetCore, T> view) {
        try {
            refresh();
        } catch (AnepException e) {
            LOG.debug("what is shown is what was known", e);
        }
        return look(view);
    }

    long millis() {
        return millis.getAsLong();
    }

    synchronized FleetCore.Answer answer(String node) {
        return core.answer(node);
    }

    /** @return after how many milliseconds the node is to report again */
    synchronized long report(String node, NodeReport report) {
        long now = millis.getAsLong();
        long again = core.report(node, report, now);
        untold.put(node, now);
        return again;
    }

    List<Generation.Head> history() {
        return store.history();
    }

    Generation generation(long number) {
        return store.generation(number);
    }

    /** What a state would change. */
    JsonNode plan(JsonNode state) {
        refresh();
        return look(each -> FleetViews.plan(each, state));
    }

    /** What is being written is written to its end. */
    @Override
    public void close() {
        ticking.shutdown();
        try {
            if (!ticking.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("the fleet's disk or database does not answer");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        store.close();
    }
}
