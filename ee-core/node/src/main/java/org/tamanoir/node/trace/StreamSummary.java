package org.tamanoir.node.trace;

import java.util.List;
import org.tamanoir.anep.ErrorCode;

/**
 * What is said of a stream when it is over. What is not known is null.
 *
 * @param number    this node's own number for it
 * @param id        16 hexadecimal digits, as the source says
 * @param transport tcp or udp
 * @param position  of this node on its path
 * @param services  names with versions, in order
 * @param pool      the address of those who served it in the place of this node
 * @param in        octets from the side of the source
 * @param out       octets given to the next hop
 * @param back      octets from the side of the destination
 * @param returned  octets given to the source
 * @param code      why it failed; null for a good end
 * @param reason    the same in words, with the code in front
 */
public record StreamSummary(long number, String id, String transport, String position, String source, String destination, String nextHop, List<String> services,
                            String pool, long in, long out, long back, long returned, ErrorCode code, String reason) {
}
