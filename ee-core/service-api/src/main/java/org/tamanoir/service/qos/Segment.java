package org.tamanoir.service.qos;

import java.net.InetSocketAddress;

/**
 * The part of a path from this node to the next that can be measured.
 *
 * @param egress    the node at its end, as people name it
 * @param reflector where that node answers probes
 */
public record Segment(String egress, InetSocketAddress reflector) {
}
