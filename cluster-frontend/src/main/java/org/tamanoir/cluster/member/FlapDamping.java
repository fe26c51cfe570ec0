package org.tamanoir.cluster.member;

import java.util.Collection;
import java.util.Comparator;
import java.util.stream.Stream;
import org.tamanoir.cluster.member.Event.What;

/**
 * Holds back ends that go too often, but never more than half of those of a pool that are there and do not leave: the others have to carry what they do
 * not, and back ends that all flap have a common cause.
 */
final class FlapDamping {
    private final Collection<BackEndEntry> entries;
    private final EventLog journal;

    /** @param entries all that there are, a view */
    FlapDamping(Collection<BackEndEntry> entries, EventLog journal) {
        this.entries = entries;
        this.journal = journal;
    }

    /** A back end goes; this counts if there was something to lose. */
    void gone(BackEndEntry entry, Timing timing, long now) {
        if (entry.flaps.held()) {
            entry.flaps.restart(now);
        } else if (entry.up() && entry.instance != null && entry.flaps.gone(timing, now)
                && (held(entry.pool).count() + 1) * 2 <= serving(entry.pool).count()) {
            String times = "went " + entry.flaps.count() + " times within " + EventLog.seconds(timing.window().toNanos());
            entry.flaps.hold(timing, now);
            journal.add(now, entry.name, What.HELD, times + "; gets streams again when it has been well for " + EventLog.seconds(entry.flaps.length()));
        }
    }

    /** Lets those go who have been well for long enough. */
    void expire(BackEndEntry entry, long now) {
        if (entry.out == null && entry.flaps.held() && now - entry.flaps.until() >= 0) {
            release(entry, "has been well for " + EventLog.seconds(entry.flaps.length()), now);
        }
    }

    /** Where others have gone meanwhile, half of a pool is less: whose hold is over next is needed. */
    void keepHalf(String pool, long now) {
        while (held(pool).count() * 2 > serving(pool).count()) {
            release(held(pool).min(Comparator.comparingLong(entry -> entry.flaps.until() - now)).orElseThrow(), "its pool has too few others", now);
        }
    }

    private Stream<BackEndEntry> serving(String pool) {
        return entries.stream().filter(entry -> entry.out == null && !entry.leaving && entry.apart == null && entry.pool.equals(pool));
    }

    private Stream<BackEndEntry> held(String pool) {
        return serving(pool).filter(entry -> entry.flaps.held());
    }

    private void release(BackEndEntry entry, String text, long now) {
        entry.flaps.release(now);
        entry.check = BackEndEntry.Check.UNKNOWN;
        journal.add(now, entry.name, What.RELEASED, text);
        entry.settle(now);
    }
}
