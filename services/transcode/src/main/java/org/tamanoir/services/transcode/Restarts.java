package org.tamanoir.services.transcode;

/** When an encoder that has failed is started again: after a pause that doubles, until it has failed too often in a row. No clock of its own. */
final class Restarts {
    /** Failures in a row; one that was well for longer than {@link #WELL_NANOS} begins anew. */
    static final int MOST = 5;
    static final long WELL_NANOS = 60_000_000_000L;
    private static final long FIRST_NANOS = 500_000_000L;
    static final long NEVER = -1;

    private int failures;
    private long startedAt;

    void started(long now) {
        startedAt = now;
    }

    /** It has failed. @return nanoseconds until the next start, or {@link #NEVER} */
    long failed(long now) {
        failures = now - startedAt > WELL_NANOS ? 1 : failures + 1;
        return failures >= MOST ? NEVER : FIRST_NANOS << failures - 1;
    }
}
