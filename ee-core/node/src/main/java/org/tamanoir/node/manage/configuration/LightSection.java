package org.tamanoir.node.manage.configuration;

import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.tamanoir.node.offload.LightPath.LightTarget;
import org.tamanoir.settings.BadSetting;

/**
 * {@code light:} of the configuration: the port of light TCP streams, and where its connections go.
 *
 * @param listen      auto: on the host of the node's {@code listen}, one port above it, if there are connections
 * @param connections where connections go, the first that fits
 */
public record LightSection(Endpoint listen, List<LightTarget> connections) {
    public LightSection {
        listen = ConfigurationValues.or(listen, Endpoint.AUTO);
        connections = connections == null ? List.of() : connections;
        Set<String> names = new HashSet<>();
        for (int i = 0; i < connections.size(); i++) {
            LightTarget each = connections.get(i);
            if (each == null || each.name() == null || !each.name().matches("[a-z][a-z0-9-]{0,31}") || !names.add(each.name())) {
                throw new BadSetting(List.of("connections", i),
                        "each of connections needs a name of its own: a letter, then letters, digits or '-', at most 32");
            }
            if (each.to() == null) {
                throw new BadSetting(List.of("connections", i), each.name() + " needs to: HOST:PORT");
            }
            if (each.dscp() != null && (each.dscp() < 0 || each.dscp() > 63)) {
                throw new BadSetting(List.of("connections", i, "dscp"), each.name() + ": dscp is " + each.dscp() + "; it must be from 0 to 63");
            }
        }
        connections = List.copyOf(connections);
    }

    /** Where light streams come in; null for nowhere. */
    InetSocketAddress address(InetSocketAddress streams) {
        return listen.or(connections.isEmpty() ? null : Endpoint.above(streams, 1));
    }
}
