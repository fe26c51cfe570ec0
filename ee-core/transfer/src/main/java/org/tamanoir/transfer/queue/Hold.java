package org.tamanoir.transfer.queue;

import java.util.List;

/**
 * What keeps a transfer from running.
 *
 * @param what the host, the link or the place that it is about; empty if it is about none
 * @param by the transfers because of which; empty if there are none
 */
public record Hold(Kind kind, String what, List<String> by) {
    /** Which bound it is. */
    public enum Kind {
        /** As many run as may, of all, of a site, of a link. */
        ALL, SITE, LINK,
        /** Another one writes to the same place. */
        PLACE,
        /** Room is kept for one that has waited for long. */
        TURN,
        /** One that was promised a time would be late. */
        PROMISE,
        /** The next attempt is not made yet. */
        RETRY
    }
}
