package org.tamanoir.cluster.check;

import java.net.InetAddress;

/** Where a back end is asked: {@code http://ADDRESS:PORT/health}. */
public record Target(InetAddress address, int port) {
}
