package org.tamanoir.node.stream;

import java.util.List;
import java.util.Map;

/**
 * What a node says of a stream.
 *
 * @param number       this node's own number for it
 * @param id           16 hexadecimal digits, as the source says
 * @param state        opening, waiting, connecting, flowing or ended
 * @param services     names in order; Type IDs while they are being got
 * @param waitMillis   how long it waited for its services
 * @param bytesIn      octets from the side of the source
 * @param bytesOut     octets given to the next hop
 * @param bytesBack    octets from the side of the destination
 * @param bytesReturned octets given to the source
 * @param paused       whether source or destination is being made to wait
 * @param reason       why it ended, or null
 * @param versions     versions of the services, in the same order; empty while they are being got
 * @param handedTo     the address of the pool that serves it in the place of this node, or null; its services are Type IDs then
 * @param identity     as whom the access policy knows the source; null without a policy
 * @param permittedBy  the rule of the access policy that has allowed it; null without a policy
 * @param session      of a stream that outlives its nodes, 16 hexadecimal digits; null for any other
 * @param epoch        of the session's chain of nodes, from 1: one higher each time that it has gone on by another chain; null without a session
 * @param tunedBy      the rules of {@code tune} that its connections have now; null for none
 * @param reports      what each service says of it; empty in lists
 */
public record StreamStatus(long number, String id, String transport, String state, String position, String source, String destination,
                           String next, List<String> services, long ageMillis, long waitMillis, long packetsIn, long bytesIn,
                           long bytesOut, long packetsBack, long bytesBack, long bytesReturned, boolean paused, String reason, List<String> versions,
                           String handedTo, String identity, String permittedBy, String session, Integer epoch, String tunedBy, Map<String, Map<String, Object>> reports) {
    /** The same with the reports of its services. */
    StreamStatus with(Map<String, Map<String, Object>> added) {
        return new StreamStatus(number, id, transport, state, position, source, destination, next, services, ageMillis, waitMillis,
                packetsIn, bytesIn, bytesOut, packetsBack, bytesBack, bytesReturned, paused, reason, versions, handedTo, identity, permittedBy, session, epoch, tunedBy, added);
    }
}
