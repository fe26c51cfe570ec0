package org.tamanoir.node.manage;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.offload.LightTarget;
import org.tamanoir.service.rule.Prefix;

/** {@code light:} of the configuration: the port of light TCP streams, and where its connections go. */
public final class LightSection {
    /** HOST:PORT, or none; null for the address of {@code listen}, one port above it, if there are connections. */
    public String listen;
    /** Where connections go, the first that fits. */
    public List<Connection> connections = List.of();

    /** Connections from one prefix. */
    public static final class Connection {
        public String name;
        /** Prefix of sources; null for every source. */
        public String source;
        /** The next hop, HOST:PORT. */
        public String to;
        /** The code point of their packets; null: as they come. */
        public Integer dscp;
    }

    /** Where connections go, in order. */
    List<LightTarget> targets() {
        List<LightTarget> targets = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Connection each : connections) {
            if (each == null || each.name == null || !each.name.matches("[a-z][a-z0-9-]{0,31}") || !names.add(each.name)) {
                throw bad("each of connections needs a name of its own: a letter, then letters, digits or '-', at most 32");
            }
            if (each.to == null) {
                throw bad(each.name + " needs to: HOST:PORT");
            }
            if (each.dscp != null && (each.dscp < 0 || each.dscp > 63)) {
                throw bad(each.name + ": dscp is " + each.dscp + "; it must be from 0 to 63");
            }
            targets.add(new LightTarget(each.name, each.source == null ? null : Prefix.parse(each.source),
                    NodeConfiguration.address("light: " + each.name + ": to", each.to), each.dscp));
        }
        return List.copyOf(targets);
    }

    /** Where light streams come in; null for nowhere. */
    InetSocketAddress address(InetSocketAddress streams) {
        if ("none".equals(listen) || listen == null && connections.isEmpty()) {
            return null;
        }
        if (listen != null) {
            return NodeConfiguration.address("light: listen", listen);
        }
        return new InetSocketAddress(streams.getAddress(), streams.getPort() == 0 || streams.getPort() == 0xFFFF ? 0 : streams.getPort() + 1);
    }

    private static AnepException bad(String what) {
        return new AnepException(ErrorCode.BAD_CONFIGURATION, "light: " + what);
    }
}
