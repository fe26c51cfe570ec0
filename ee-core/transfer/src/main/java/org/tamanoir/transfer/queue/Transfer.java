package org.tamanoir.transfer.queue;

import java.util.ArrayList;
import java.util.List;
import org.tamanoir.transfer.copy.CopyReport;

/**
 * A transfer, and what has become of it so far: what is kept of it.
 *
 * @param from host of the mover that has the files
 * @param to host of the mover that gets them
 * @param octets of its files; -1 if that is not known
 * @param submitted when
 * @param promised whether the queue keeps its time free: it was forecast to be met, or nothing is known yet
 * @param since when it got its state
 * @param next when it is tried again; of {@link State#WAITING}
 * @param failures attempts in a row that brought nothing
 * @param reason why the last attempt failed, with its code; empty if none has
 * @param attempts the last of those that ended
 * @param report of the attempt that completed it, or failed for good; null before
 */
public record Transfer(String id, TransferRequest request, String from, String to, long octets, long submitted, boolean promised, State state, long since, long next,
        int failures, String reason, List<Attempt> attempts, CopyReport report) {
    /** Attempts that are remembered. */
    static final int MOST_ATTEMPTS = 20;
    private static final long HOUR = 3_600_000;
    private static final long DAY = 24 * HOUR;
    private static final long HALF_DAY = 12 * HOUR;

    /** What it is doing. */
    public enum State {
        /** It has not begun, or begins again. */
        QUEUED,
        RUNNING,
        /** An attempt has failed; the next one is made after a while. */
        WAITING,
        DONE,
        FAILED,
        CANCELLED;

        public boolean isOver() {
            return this == DONE || this == FAILED || this == CANCELLED;
        }
    }

    /** One that has ended. @param moved octets that went over in it @param why it was not the last one; empty if it completed the transfer */
    public record Attempt(long began, long ended, long moved, String why) {
    }

    /** One that was submitted. */
    public static Transfer of(String id, TransferRequest request, String from, String to, long octets, long now, boolean promised) {
        return new Transfer(id, request, from, to, octets, now, promised, State.QUEUED, now, 0, 0, "", List.of(), null);
    }

    /** It is counted from 1 in its queue: {@code t-7} is the seventh. */
    public int number() {
        return Integer.parseInt(id.substring(2));
    }

    /** The pair of hosts that it goes between. */
    public String link() {
        return from + " > " + to;
    }

    /**
     * Its place in the queue: the earliest goes first. What was promised a time goes by that, but not behind what comes more than half a day later; everything else
     * by when it came, a step of priority being worth an hour. So nothing waits for ever for what came after it.
     */
    long due(long now) {
        return promised && (request.by() == 0 || request.by() > now) ? Math.min(request.by() == 0 ? Long.MAX_VALUE : request.by(), submitted + HALF_DAY) : submitted + DAY - request.priority() * HOUR;
    }

    /** Whether it was promised a time that can still be kept. */
    boolean isKept(long now) {
        return promised && request.isTimed() && (request.by() == 0 || request.by() > now);
    }

    /** Whether it waits for those that are in its way because of what they were promised; not when it has waited for as long as it may. */
    boolean isHeldByPromises(long now) {
        return state != State.RUNNING && !promised && due(now) > now;
    }

    Transfer with(State newState, long now) {
        return new Transfer(id, request, from, to, octets, submitted, promised, newState, now, 0, failures, reason, attempts, report);
    }

    Transfer sized(long newOctets) {
        return new Transfer(id, request, from, to, newOctets, submitted, promised, state, since, next, failures, reason, attempts, report);
    }

    /** An attempt has ended. @param again when the next one is made, if the state is to wait */
    Transfer ended(State newState, long now, long again, int newFailures, long moved, String why, CopyReport newReport) {
        List<Attempt> all = new ArrayList<>(attempts);
        all.add(new Attempt(since, now, moved, why));
        List<Attempt> last = List.copyOf(all.subList(Math.max(0, all.size() - MOST_ATTEMPTS), all.size()));
        return new Transfer(id, request, from, to, octets, submitted, promised, newState, now, again, newFailures, why, last, newReport);
    }
}
