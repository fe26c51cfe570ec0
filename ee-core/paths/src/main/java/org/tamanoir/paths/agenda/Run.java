package org.tamanoir.paths.agenda;

import java.util.Set;
import org.tamanoir.paths.plan.Session;

/**
 * One run of a session.
 *
 * @param number    unique in its agenda
 * @param due       when the schedule, or who asked, wants it
 * @param latest    begin: with the slip
 * @param begins    when it does, or did
 * @param ends      when it is to end; of one that is over, when it did
 * @param resources that it has for itself in this time: its theodolites and bottlenecks; empty for one that disturbs nobody
 * @param reason    why it failed or was skipped; null otherwise
 */
public record Run(long number, Session session, long due, long latest, long begins, long ends, Set<String> resources, State state, String reason) {
    /** Where it is. */
    public enum State {
        /** It has a time, and nothing else has its resources then. */
        FUTURE,
        /** It has begun. */
        RUNNING,
        /** It has ended well. */
        DONE,
        /** It has ended badly. */
        FAILED,
        /** It never began, since it could not within its slip. */
        SKIPPED
    }

    Run at(long newBegins) {
        return new Run(number, session, due, latest, newBegins, newBegins + ends - begins, resources, state, reason);
    }

    Run in(State newState, long newEnds, String why) {
        return new Run(number, session, due, latest, begins, newEnds, resources, newState, why);
    }

    boolean isBooked() {
        return !resources.isEmpty();
    }
}
