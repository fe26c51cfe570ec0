package org.tamanoir.node.offload;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.tamanoir.service.rule.Prefix;

/**
 * Where connections to the port of light streams go.
 *
 * @param name   of the entry in the configuration
 * @param source prefix of the sources that it is for; null for every source
 * @param to     the next hop
 * @param dscp   the code point of their packets, 0 to 63; null: as they come
 */
public record LightTarget(String name, Prefix source, InetSocketAddress to, Integer dscp) {
    /** Whether connections from an address go there. */
    public boolean isFor(InetAddress address) {
        return source == null || source.contains(address);
    }
}
