package org.tamanoir.node.tuning;

import java.net.InetAddress;
import java.util.Set;
import org.tamanoir.service.Level;

/**
 * What a rule may ask of a leg: one of the two connections of a stream.
 *
 * @param onward    whether it leads to the next hop; otherwise it is the one that the stream came on
 * @param remote    address of its other end
 * @param services  Type IDs of the services of its stream
 * @param codePoint of what is sent on it now, 0 to 63
 * @param session   code of the session of quality of service of its stream; 0 for none
 * @param level     the highest of the services of its stream; light without services
 */
public record LegFacts(boolean onward, InetAddress remote, Set<Integer> services, int codePoint, long session, Level level) {
}
