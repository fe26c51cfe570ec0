package org.tamanoir.qos.wire;

import java.net.InetSocketAddress;

/**
 * A node on the path that has stored the session.
 *
 * @param node    its name: 16 hexadecimal digits
 * @param address where it takes streams; an unspecified host if it listens on all
 * @param probes  where it answers probes; null if it does not
 * @param hops    hops that the request had left when it came: nodes that follow each other differ by 1
 */
public record Stop(String node, InetSocketAddress address, InetSocketAddress probes, int hops) {
}
