package org.tamanoir.service.testkit;

import java.util.List;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.testkit.CollectingOutput.Left;

/**
 * What the tasks of one stream have emitted, in order. Copies on the heap that stay valid and need no release.
 *
 * @param toDestination      packets on their way to the destination
 * @param toSource           packets on their way back to the source
 * @param marksToDestination the code point of each packet of {@code toDestination}; -1 where the handler has set none
 * @param marksToSource      the code point of each packet of {@code toSource}
 */
public record Emitted(List<Packet> toDestination, List<Packet> toSource, List<Integer> marksToDestination, List<Integer> marksToSource) {
    static Emitted of(List<Left> toDestination, List<Left> toSource) {
        return new Emitted(Left.packets(toDestination), Left.packets(toSource), Left.marks(toDestination), Left.marks(toSource));
    }
}
