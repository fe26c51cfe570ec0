package org.tamanoir.paths.verdict;

import java.util.Locale;

/** What holds a stream up. */
public enum Cause {
    /** The source has nothing to send, or its send buffer is too small for the path. */
    SOURCE,
    /** The destination does not read as fast as it could get. */
    RECEIVER,
    /** The network between the source and the node. */
    PATH_BEFORE,
    /** The network behind the node. */
    PATH_AFTER,
    /** The node itself: its services, or its buffers. */
    NODE,
    /** The rate of the class that the stream is in. */
    CLASS,
    /** Nothing: it has what it can have. */
    NOTHING;

    /** {@code path-before}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
