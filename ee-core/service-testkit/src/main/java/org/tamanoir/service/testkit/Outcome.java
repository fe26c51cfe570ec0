package org.tamanoir.service.testkit;

import java.util.List;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.testkit.CollectingOutput.Left;

/**
 * What came of one call of a handler.
 *
 * @param verdict the verdict; null after the end of a direction, which has none
 * @param onward  the packets that go on, in order: those that were emitted, then the one in hand if it passed. Copies on the heap that
 *                stay valid and need no release
 * @param marks   the code point that each packet of {@code onward} leaves with; -1 where the handler has set none
 */
public record Outcome(Verdict verdict, List<Packet> onward, List<Integer> marks) {
    static Outcome of(Verdict verdict, List<Left> left) {
        return new Outcome(verdict, Left.packets(left), Left.marks(left));
    }

    /** The only packet that goes on. */
    public Packet only() {
        if (onward.size() != 1) {
            throw new AssertionError("one packet should go on, not " + onward.size());
        }
        return onward.get(0);
    }
}
