package org.tamanoir.services.transcode;

/**
 * Lets runs of a live stream through as long as there is room, and none after that until a picture comes at which a decoder can begin: so nobody waits, and what
 * arrives can be decoded. No I/O, one thread at a time.
 */
final class KeyFrameGate {
    private boolean open;
    private boolean opened;
    private long dropped;

    /**
     * Decides about a run.
     *
     * @param key  whether a decoder can begin with it
     * @param room whether there is room for it
     */
    boolean passes(boolean key, boolean room, int octets) {
        boolean before = open;
        open = room && (open || key);
        opened = open && !before;
        dropped += open ? 0 : octets;
        return open;
    }

    /** Whether the run that was let through last is the first after some that were not: the tables go in front of it. */
    boolean hasJustOpened() {
        return opened;
    }

    /** What was let through last was lost: nothing more until the next key frame. */
    void shut() {
        open = false;
    }

    /** Octets that were not let through. */
    long dropped() {
        return dropped;
    }
}
