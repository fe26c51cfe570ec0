package org.tamanoir.client.resumable;

import java.util.EnumSet;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/** Why a session has lost its legs, which of that ends it, and how its application is told. */
final class SessionFailures {
    /** What ends a session however many other ways there are. */
    private static final Set<ErrorCode> FINAL = EnumSet.of(ErrorCode.SESSION_UNKNOWN, ErrorCode.SESSION_FOREIGN, ErrorCode.SESSION_DIFFERS, ErrorCode.NOT_RESUMABLE);
    /** What another way may not suffer from, for a session that has not begun yet. */
    private static final Set<ErrorCode> OF_THE_WAY = EnumSet.of(ErrorCode.UNREACHABLE, ErrorCode.DESTINATION_REFUSED, ErrorCode.CONNECTION_LOST, ErrorCode.STOPPING, ErrorCode.TOO_MANY_STREAMS,
            ErrorCode.MEMORY_FULL, ErrorCode.HEADER_TIMEOUT, ErrorCode.IDLE_TIMEOUT, ErrorCode.NOT_IDENTIFIED);

    private AnepException last;

    void add(AnepException why) {
        // That one node is not there says less than what another has against the session.
        if (last == null || !OF_THE_WAY.contains(why.code()) || OF_THE_WAY.contains(last.code())) {
            last = why;
        }
    }

    /** The session goes on. */
    void clear() {
        last = null;
    }

    /** Whether there is no use in another leg. @param begun whether the far end has ever answered @param triedAll whether every way was tried */
    static boolean isFinal(ErrorCode why, boolean begun, boolean triedAll) {
        return FINAL.contains(why) || !begun && (!OF_THE_WAY.contains(why) || triedAll);
    }

    /** What the application is told. */
    AnepException reason(ErrorCode why) {
        if (last != null && last.code() == why) {
            return last;
        }
        return new AnepException(why, switch (why) {
            case SESSION_LOST -> "the session found no chain of nodes in its time" + (last == null ? "" : "; last: " + last.getMessage());
            case SESSION_ABANDONED -> "the program at the other end has given its connection up";
            case SESSION_STATE -> "a service on the way that knows something of the stream has failed, and what it knew is lost";
            case SESSION_DIFFERS -> "what has arrived is not what was sent: a service or a node on the way has changed it";
            default -> "the session is over";
        });
    }

    /** The last one, after a colon; nothing if there was none. */
    @Override
    public String toString() {
        return last == null ? "" : ": " + last.getMessage();
    }
}
