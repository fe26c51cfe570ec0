package org.tamanoir.dyram.wire;

/**
 * Notices that a timer goes off much too late: this process did not run for a while, and answers that came meanwhile wait in its sockets.
 * Whoever asks again at once asks for what is there already; so timers wait once more for as long as the pause was.
 */
public final class Stall {
    /** Event loops that wait in whole milliseconds are late by so much without any reason. */
    private static final long USUAL = 3_000_000;
    private static final long MOST = 250_000_000;

    private long resumes = Long.MIN_VALUE;

    /** When something may be done that is due at a time; the time itself if nothing was late. */
    public long deadline(long due) {
        return Math.max(due, resumes);
    }

    /** @param due 0 means at once. @return whether what is due at a time has to wait, because its timer is too late by far */
    public boolean isLate(long now, long due) {
        if (due == 0 || due == Long.MAX_VALUE) {
            return false;
        }
        long late = now - deadline(due);
        if (late > USUAL) {
            resumes = now + Math.min(MOST, late);
            return true;
        }
        return now < resumes;
    }
}
