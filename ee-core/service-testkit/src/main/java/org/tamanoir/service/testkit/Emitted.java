package org.tamanoir.service.testkit;

import java.util.List;
import org.tamanoir.anep.Packet;

/**
 * What the tasks of one stream have emitted, in order. Copies on the heap that stay valid and need no release.
 *
 * @param toDestination packets on their way to the destination
 * @param toSource      packets on their way back to the source
 */
public record Emitted(List<Packet> toDestination, List<Packet> toSource) {
}
