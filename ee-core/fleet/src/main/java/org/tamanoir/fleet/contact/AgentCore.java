package org.tamanoir.fleet.contact;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * What a node does next for its fleet: asks what it is to have, or says how it is. Whoever drives this does it and tells what came of it. No I/O; times are
 * milliseconds of one clock that does not go back. One thread.
 */
public final class AgentCore {
    /** What is to be done. */
    public sealed interface Action permits Wait, Ask, Report {
    }

    /** Nothing for so long. */
    public record Wait(long millis) implements Action {
    }

    /** Ask what the node is to have. @param tag of what it had last, without quotes; null for none */
    public record Ask(String tag) implements Action {
    }

    /** Say how the node is. */
    public record Report() implements Action {
    }

    private final Contact contact;
    private String tag;
    private long reportDue;

    /** @param period from one question to the next until the server says otherwise */
    public AgentCore(long now, Duration period, RandomGenerator random) {
        contact = new Contact(now, period, random);
        reportDue = now;
    }

    public Action next(long now) {
        long ask = contact.waitMillis(now);
        if (ask <= 0) {
            return new Ask(tag);
        }
        // A server that does not answer questions is not told either: the next question finds out when it is back.
        if (contact.failures() > 0) {
            return new Wait(ask);
        }
        return reportDue <= now ? new Report() : new Wait(Math.min(ask, reportDue - now));
    }

    /** The server has nothing else for the node than it had. @return whether it had not answered before */
    public boolean unchanged(long now) {
        return contact.answered(now);
    }

    /**
     * The server has something else, which the node has tried to take: it reports at once, whatever came of it.
     *
     * @param newTag of it: it is not asked for again
     * @return whether it had not answered before
     */
    public boolean tried(long now, String newTag, Duration period) {
        tag = newTag;
        reportDue = now;
        boolean back = contact.answered(now);
        contact.period(now, period);
        return back;
    }

    /** The server has answered a report, whatever it said. @param millis after which it is to hear again */
    public void reported(long now, long millis) {
        reportDue = now + millis;
    }

    /** How often the server wants to be asked, as it says to those too for whom it has nothing yet. */
    public void period(long now, Duration wanted) {
        contact.period(now, wanted);
    }

    /** The server answers a question with an error: it is asked again after the usual time. @return whether it had not answered before */
    public boolean refused(long now) {
        return contact.answered(now);
    }

    /** The server has not answered. @return whether it had before */
    public boolean failed(long now) {
        return contact.failed(now);
    }

    /** Something at the node has changed that its fleet is to know. */
    public void changed(long now) {
        reportDue = Math.min(reportDue, now);
    }

    /** What it had is not in force any more: it is asked for again, at once. */
    public void forget(long now) {
        tag = null;
        contact.hurry(now);
    }

    /** Questions without an answer since the last one. */
    public int failures() {
        return contact.failures();
    }
}
