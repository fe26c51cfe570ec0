package org.tamanoir.service.testkit;

import java.util.List;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Verdict;

/**
 * What came of one call of a handler.
 *
 * @param verdict the verdict; null after the end of a direction, which has none
 * @param onward  the packets that go on, in order: those that were emitted, then the one in hand if it passed. Copies on the heap that
 *                stay valid and need no release
 */
public record Outcome(Verdict verdict, List<Packet> onward) {
    /** The only packet that goes on. */
    public Packet only() {
        if (onward.size() != 1) {
            throw new AssertionError("one packet should go on, not " + onward.size());
        }
        return onward.get(0);
    }
}
