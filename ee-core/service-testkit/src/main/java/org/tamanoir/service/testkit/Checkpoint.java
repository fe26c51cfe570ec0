package org.tamanoir.service.testkit;

import java.util.List;
import org.tamanoir.anep.Packet;
import org.tamanoir.service.testkit.CollectingOutput.Left;

/**
 * What a handler knows where a mark passes.
 *
 * @param state  in a form of its own; at most 60,000 octets
 * @param before packets that it emits first
 */
public record Checkpoint(byte[] state, List<Packet> before) {
    private static final int MOST = 60_000;

    static Checkpoint of(byte[] state, List<Left> left) {
        if (state == null || state.length > MOST) {
            throw new ContractViolation("a checkpoint has 0 to " + MOST + " octets, not " + (state == null ? "null" : String.valueOf(state.length)));
        }
        return new Checkpoint(state, Left.packets(left));
    }
}
