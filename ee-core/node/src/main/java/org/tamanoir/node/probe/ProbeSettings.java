package org.tamanoir.node.probe;

import java.net.InetSocketAddress;

/**
 * How a node probes.
 *
 * @param listen where the reflector is; null for none
 * @param exact  whether it must be there; otherwise any port of that host will do
 * @param rate   probes that are answered each second, 1 to {@value #MOST_RATE}
 */
public record ProbeSettings(InetSocketAddress listen, boolean exact, int rate) {
    public static final int MOST_RATE = 1_000_000;
    public static final int PRESET_RATE = 10_000;
    /** Of STAMP: RFC 8762 section 4.1. */
    public static final int PORT = Stamp.PORT;
}
