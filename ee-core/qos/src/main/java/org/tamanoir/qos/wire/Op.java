package org.tamanoir.qos.wire;

import java.util.Locale;

/** What is asked for. */
public enum Op {
    /** A session for a flow; its code comes back. */
    OPEN,
    /** Another service level for a session. */
    MODIFY,
    /** The end of a session. */
    RELEASE;

    /** {@code open}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
