package org.tamanoir.transfer.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.transfer.copy.CopyReport;
import org.tamanoir.transfer.queue.Transfer.State;

/**
 * All transfers, and which of them run. What a call returns is to be kept on disk before anything follows from it: whoever is told of a transfer, and every mover
 * that is asked to begin one, is told after that. A queue that is made again of what was kept goes on from there: what was running begins again, under the same
 * name, which ends the one before at its mover.
 */
public final class TransferQueue {
    /** Whoever has waited for so long has room kept for it, so that those who need less do not pass it for ever. */
    static final long LONG_WAIT = 300_000;

    private final Limits limits;
    private final RetryPolicy retries;
    private final Map<String, Transfer> all = new LinkedHashMap<>();
    private final Map<String, Hold> holds = new HashMap<>();

    /** @param kept what was kept of an earlier one */
    public TransferQueue(Limits limits, RetryPolicy retries, Collection<Transfer> kept, long now) {
        this.limits = limits;
        this.retries = retries;
        kept.stream().sorted(Comparator.comparingLong(Transfer::submitted).thenComparing(Transfer::id)).forEach(one -> all.put(one.id(),
                one.state() == State.RUNNING ? one.ended(State.QUEUED, now, 0, one.failures(), 0, "the queue was ended meanwhile", null) : one));
    }

    public Limits limits() {
        return limits;
    }

    /** Adds one, or puts it back as it was. */
    public void put(Transfer transfer) {
        all.put(transfer.id(), transfer);
    }

    public void remove(String id) {
        all.remove(id);
        holds.remove(id);
    }

    /** Null if there is none. */
    public Transfer get(String id) {
        return all.get(id);
    }

    /** In the order in which they were submitted. */
    public List<Transfer> all() {
        return List.copyOf(all.values());
    }

    /** Those that are not over. */
    public List<Transfer> open() {
        return all.values().stream().filter(one -> !one.state().isOver()).toList();
    }

    /** Those that do not run, in the order in which they would begin. */
    public List<Transfer> waiting(long now) {
        return all.values().stream().filter(one -> one.state() == State.QUEUED || one.state() == State.WAITING)
                .sorted(Comparator.<Transfer>comparingLong(one -> one.due(now)).thenComparingLong(Transfer::submitted).thenComparing(Transfer::id)).toList();
    }

    public List<Transfer> running() {
        return all.values().stream().filter(one -> one.state() == State.RUNNING).toList();
    }

    /** Why one does not run; null if it does, or was not looked at yet. */
    public Hold hold(String id) {
        return holds.get(id);
    }

    /**
     * Begins what can begin.
     *
     * @param harmed gives the transfers that would miss a time they were promised if this one began
     * @return those that run from now on
     */
    public List<Transfer> start(long now, Function<Transfer, List<String>> harmed) {
        holds.clear();
        Slots slots = new Slots(limits);
        running().forEach(slots::take);
        List<Transfer> begun = new ArrayList<>();
        for (Transfer one : waiting(now)) {
            // A clock that was set back makes nobody wait for what it shows.
            if (one.next() > now && one.next() - now <= retries.longestMillis()) {
                holds.put(one.id(), new Hold(Hold.Kind.RETRY, "", List.of()));
                continue;
            }
            Hold hold = slots.hold(one);
            if (hold != null && now - one.submitted() > LONG_WAIT) {
                slots.keep(one);
            }
            // What has waited for as long as it may is held by no promise: those that were made since take it into account.
            if (hold == null && one.isHeldByPromises(now)) {
                List<String> late = harmed.apply(one);
                hold = late.isEmpty() ? null : new Hold(Hold.Kind.PROMISE, "", late);
            }
            if (hold != null) {
                holds.put(one.id(), hold);
            } else {
                Transfer runs = one.with(State.RUNNING, now);
                all.put(one.id(), runs);
                slots.take(runs);
                begun.add(runs);
            }
        }
        return begun;
    }

    /** When something waits to be tried again; -1 if nothing does. */
    public long nextAttempt() {
        return all.values().stream().filter(one -> one.state() == State.WAITING).mapToLong(Transfer::next).min().orElse(-1);
    }

    /** A running one is complete. */
    public Transfer done(String id, CopyReport report, long now) {
        return changed(running(id).ended(State.DONE, now, 0, 0, report.moved(), "", report));
    }

    /**
     * An attempt has failed: it is made again later, or never. One that has brought something counts as the first that failed.
     *
     * @param code by which it is decided
     * @param reason with its code
     * @param moved octets that it brought
     * @param report null if there is none
     */
    public Transfer failed(String id, ErrorCode code, String reason, long moved, CopyReport report, long now) {
        Transfer one = running(id);
        int failures = moved > 0 && !RetryPolicy.isForGood(code) ? 1 : one.failures() + 1;
        long pause = retries.pause(code, failures);
        return changed(one.ended(pause < 0 ? State.FAILED : State.WAITING, now, pause < 0 ? 0 : now + pause, failures, moved, reason, report));
    }

    /** Ends one that is not over. Whoever runs it ends it too. */
    public Transfer cancel(String id, long now) {
        Transfer one = all.get(id);
        return changed(one.state() == State.RUNNING ? one.ended(State.CANCELLED, now, 0, 0, 0, "cancelled", null) : one.with(State.CANCELLED, now));
    }

    /** How large it is has become known. */
    public Transfer sized(String id, long octets) {
        return changed(all.get(id).sized(octets));
    }

    private Transfer running(String id) {
        Transfer one = all.get(id);
        if (one == null || one.state() != State.RUNNING) {
            throw new IllegalStateException(id + " does not run");
        }
        return one;
    }

    private Transfer changed(Transfer one) {
        all.put(one.id(), one);
        holds.remove(one.id());
        return one;
    }
}
