package org.tamanoir.cluster.engine;

import org.tamanoir.cluster.plan.RealServer;
import org.tamanoir.cluster.plan.VirtualService;

/**
 * What has gone through a virtual service to one back end since it is there; rates are what the kernel estimates, or 0 where it does not.
 * Where TCP and UDP of an address and port are counted together, the service over TCP has the counters of both, and the one over UDP none.
 *
 * @param connections      that were opened
 * @param active           that are established now; with UDP those that have carried something lately
 * @param inactive         that wait for their end
 * @param inPackets        to the back end
 * @param outPackets       from it; 0 where answers do not go through the director
 * @param inOctets         to the back end, IP headers included
 * @param outOctets        from it
 * @param connectionRate   connections a second
 * @param inOctetRate      octets a second to the back end
 * @param outOctetRate     octets a second from it
 */
public record Counters(VirtualService service, RealServer server, long connections, long active, long inactive, long inPackets, long outPackets,
                       long inOctets, long outOctets, long connectionRate, long inOctetRate, long outOctetRate) {
}
