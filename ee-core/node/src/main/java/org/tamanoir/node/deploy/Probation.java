package org.tamanoir.node.deploy;

import java.util.HashSet;
import java.util.Set;
import org.tamanoir.node.service.RunningService;

/** The version before the current one, kept installed while the current one has to prove itself on its first streams. No clock. */
final class Probation {
    private final Set<String> returnedFrom = new HashSet<>();
    private ServiceVersion before;
    private long end;
    private int streams;
    private int mostFailures;
    private int failures;

    /** @param before the version that comes back if the new one fails; null if there is none */
    void begin(long now, ServiceVersion before, LifecycleSettings settings) {
        this.before = before;
        this.end = now + settings.probation().toNanos();
        this.streams = settings.probationStreams();
        this.mostFailures = settings.failures();
        this.failures = 0;
    }

    /** The version before goes its way. */
    void end() {
        before = null;
    }

    /** Whether a version is kept for a return. */
    boolean keeps(ServiceVersion version) {
        return before == version;
    }

    /** Whether failures of the current version bring the one before back. */
    boolean isOn(long now, RunningService current) {
        return before != null && now < end && current.streamsTotal() <= streams;
    }

    /** A stream of the current version has failed; true if that is one too many. */
    boolean failed() {
        return ++failures >= mostFailures;
    }

    int failures() {
        return failures;
    }

    /** Gives the version before up for use, and remembers what it replaces. */
    ServiceVersion comeBack(ServiceVersion bad) {
        ServiceVersion good = before;
        before = null;
        returnedFrom.add(bad.version());
        return good;
    }

    /** Versions that failed on probation: not taken again unless they are named. */
    Set<String> returnedFrom() {
        return Set.copyOf(returnedFrom);
    }

    void forget() {
        returnedFrom.clear();
    }
}
