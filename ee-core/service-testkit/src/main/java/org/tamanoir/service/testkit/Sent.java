package org.tamanoir.service.testkit;

import java.net.InetSocketAddress;
import org.tamanoir.anep.Packet;

/**
 * A datagram that a service has sent.
 *
 * @param packet a copy, which needs no release
 * @param to     a host, a neighbour or a group
 */
public record Sent(Packet packet, InetSocketAddress to) {
}
