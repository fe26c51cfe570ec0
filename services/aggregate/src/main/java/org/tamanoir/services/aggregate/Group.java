package org.tamanoir.services.aggregate;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.tamanoir.service.Output;
import org.tamanoir.service.Timer;

/**
 * A group in this node: the streams that bring readings of it toward one destination, its rounds, and the stream that carries the
 * results. That is the oldest one that can; when it goes the next takes over. Any thread; what is emitted is emitted on the carrier's own.
 */
final class Group {
    /** What makes a group. */
    record Key(long id, InetSocketAddress destination) {
    }

    /** How long results wait before they are tried again on a way that was full. */
    private static final long AGAIN_NANOS = 10_000_000;

    private final Rounds rounds;
    /** Streams whose direction to the destination is open, oldest first. */
    private final Set<SourceStream> members = new LinkedHashSet<>();
    private SourceStream carrier;
    /** A task of the carrier is on its way. */
    private boolean asked;
    /** The way of the carrier was full; the timer tries again. */
    private boolean full;
    private Timer timer;
    private long timerNanos;
    private long lastNanos;

    Group(Rounds rounds, long now) {
        this.rounds = rounds;
        this.lastNanos = now;
    }

    synchronized void join(SourceStream member, long now) {
        members.add(member);
        SourceStream before = carrier;
        if (before == null || before.hasEnded()) {
            carry(member, now);
        }
        if (before != null && before != carrier) {
            members.remove(before);
            before.stream().execute((forward, back) -> before.owesNothing(this, forward));
        }
    }

    private void carry(SourceStream member, long now) {
        stopTimer();
        carrier = member;
        asked = false;
        full = false;
        wake(now);
    }

    synchronized Rounds.Answer add(Reading reading, long now) {
        lastNanos = now;
        Rounds.Answer answer = rounds.add(reading, now);
        wake(now);
        return answer;
    }

    /** Lets the carrier act if there is something to emit or a new time to wait for. */
    private void wake(long now) {
        boolean results = rounds.hasResults() && !full;
        boolean sooner = rounds.open() > 0 && !full && (timer == null || now + rounds.untilDeadline(now) - timerNanos < 0);
        if (carrier != null && !asked && (results || sooner)) {
            SourceStream member = carrier;
            asked = member.stream().execute((forward, back) -> emit(member, forward));
        }
    }

    /** On the carrier's own thread: emits what is ready while there is room, and sees to the rest later. */
    private void emit(SourceStream member, Output forward) {
        for (Reading result = next(member, forward.isWritable()); result != null; result = next(member, forward.isWritable())) {
            member.emit(result, forward);
        }
        if (isSettled(member)) {
            member.owesNothing(this, forward);
        }
    }

    private synchronized Reading next(SourceStream member, boolean room) {
        if (member != carrier) {
            return null;
        }
        long now = member.stream().nanoTime();
        rounds.expire(now);
        Reading result = room ? rounds.poll() : null;
        if (result == null) {
            asked = false;
            full = rounds.hasResults();
            setTimer(now);
        }
        return result;
    }

    private synchronized boolean isSettled(SourceStream member) {
        return member != carrier || rounds.open() == 0 && !rounds.hasResults();
    }

    private void setTimer(long now) {
        stopTimer();
        long delay = full ? AGAIN_NANOS : rounds.untilDeadline(now);
        if (delay < Long.MAX_VALUE) {
            SourceStream member = carrier;
            timerNanos = now + delay;
            timer = member.stream().later(Duration.ofNanos(delay), (forward, back) -> emit(member, forward));
        }
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    /**
     * The source of a stream has finished. Over UDP nothing can be emitted after this call, so what is open is closed.
     *
     * @param out where this call may emit
     * @return whether the stream still has results to carry, because there is no other
     */
    boolean end(SourceStream member, Output out, boolean holds) {
        synchronized (this) {
            if (member != carrier || members.size() > 1 || rounds.open() == 0 && !rounds.hasResults()) {
                leave(member);
                return false;
            }
            if (holds) {
                return true;
            }
            rounds.closeAll(member.stream().nanoTime());
        }
        emit(member, out);
        leave(member);
        return false;
    }

    /** A stream can emit nothing more. */
    synchronized void leave(SourceStream member) {
        members.remove(member);
        if (member == carrier) {
            carry(members.stream().findFirst().orElse(null), member.stream().nanoTime());
        }
    }

    /** Whether no stream has been here for a while. */
    synchronized boolean isAbandoned(long now, long forgetNanos) {
        return members.isEmpty() && now - lastNanos > forgetNanos;
    }

    synchronized void clear(long now) {
        rounds.clear(now);
    }

    synchronized Map<String, Object> report(SourceStream member) {
        return Map.of("streams", members.size(), "carrier", member == carrier, "openRounds", rounds.open());
    }
}
