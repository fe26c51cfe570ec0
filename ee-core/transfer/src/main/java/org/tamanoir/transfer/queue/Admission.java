package org.tamanoir.transfer.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Whether the time that a transfer asks for can be promised, and what one that begins does to those that have been promised theirs. Made anew for each look at a queue. */
public final class Admission {
    /**
     * What others that begin leave of a promise: more than it was given at, because every one that begins takes some of it.
     */
    private static final double KEPT = 0.99;
    /** Of those that would do harm. */
    private static final int MOST_LOOKED = 3;

    private final TransferQueue queue;
    private final Map<String, LinkHistory> links;
    private final ToLongFunction<Transfer> left;
    private int looked;
    private List<String> lastHarmed = List.of();

    /**
     * @param forecast of the transfer; null if nothing is known of it
     * @param harmed those that would miss what they were promised if this one was promised its time too
     */
    public record Verdict(Forecast.Answer forecast, List<String> harmed) {
        /** Whether its time can be kept, as far as is known. */
        public boolean isGranted() {
            return harmed.isEmpty() && (forecast == null || forecast.probability() >= Forecast.SURE);
        }
    }

    /** @param left octets of a transfer that are still to come; -1 if that is not known */
    public Admission(TransferQueue queue, Map<String, LinkHistory> links, ToLongFunction<Transfer> left) {
        this.queue = queue;
        this.links = links;
        this.left = left;
    }

    /** What is expected of all that are not over. */
    public Map<String, Forecast.Answer> forecasts(long now) {
        return forecasts(null, now);
    }

    /** @param more one that is not in the queue, or not as it stands there; null for none */
    private Map<String, Forecast.Answer> forecasts(Transfer more, long now) {
        TransferQueue with = new TransferQueue(queue.limits(), RetryPolicy.PRESET, List.of(), now);
        queue.open().forEach(with::put);
        if (more != null) {
            with.put(more);
        }
        List<Transfer> inOrder = new ArrayList<>(with.running());
        inOrder.addAll(with.waiting(now));
        return Forecast.of(inOrder, left, links, queue.limits(), now);
    }

    /** Looks at one that asks for a time. @param transfer as it would be if it was promised */
    public Verdict judge(Transfer transfer, long now) {
        Map<String, Forecast.Answer> after = forecasts(transfer, now);
        return new Verdict(after.get(transfer.id()), harmed(transfer, after, now));
    }

    /** Those that would miss what they were promised if a transfer began now. */
    public List<String> harmedBy(Transfer transfer, long now) {
        boolean shares = queue.open().stream().anyMatch(one -> one.isKept(now) && !one.id().equals(transfer.id())
                && (List.of(one.from(), one.to()).contains(transfer.from()) || List.of(one.from(), one.to()).contains(transfer.to())));
        if (!shares) {
            return List.of();
        }
        // A long queue is not played through for each of it: what holds the first ones holds those behind them, until the next look.
        if (looked < MOST_LOOKED || lastHarmed.isEmpty()) {
            lastHarmed = harmed(transfer, forecasts(transfer.with(Transfer.State.RUNNING, now), now), now);
            looked += lastHarmed.isEmpty() ? 0 : 1;
        }
        return lastHarmed;
    }

    private List<String> harmed(Transfer transfer, Map<String, Forecast.Answer> after, long now) {
        List<String> late = queue.open().stream().filter(one -> one.isKept(now) && !one.id().equals(transfer.id()) && after.containsKey(one.id())
                && after.get(one.id()).probability() < KEPT).map(Transfer::id).toList();
        if (late.isEmpty()) {
            return late;
        }
        // Those that are late without it, too, are not its doing.
        Map<String, Forecast.Answer> before = forecasts(null, now);
        return late.stream().filter(id -> before.get(id).probability() > after.get(id).probability()).toList();
    }
}
