package org.tamanoir.qos.wire;

import java.util.List;
import org.tamanoir.anep.ErrorCode;

/**
 * What comes back.
 *
 * @param number  of the request
 * @param session the code; 0 if there is none
 * @param code    what is wrong, or null: everything is done. {@link ErrorCode#PARTIAL_PATH} comes with a session: it is stored at the nodes
 *                of the path
 * @param text    for people; empty if nothing is wrong
 * @param path    the nodes that have stored the session, or forgotten it, the first one first
 */
public record Answer(long number, long session, ErrorCode code, String text, List<Stop> path) {
    public Answer {
        path = List.copyOf(path);
    }

    /** Whether nodes have done what was asked, all of them or some. */
    public boolean isDone() {
        return code == null || code == ErrorCode.PARTIAL_PATH;
    }
}
