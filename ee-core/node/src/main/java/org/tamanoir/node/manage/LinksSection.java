package org.tamanoir.node.manage;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.link.LinkSettings;

/** {@code links:} of the configuration: what is next to the node, for services that speak with it. */
public final class LinksSection {
    private static final int MOST_TTL = 255;

    /** ANEP addresses of other nodes, {@code HOST:PORT}. */
    public List<String> neighbours = List.of();
    /** Name of the interface by which leaves what is sent to groups; null for none. */
    @JsonProperty("interface")
    public String groups;
    /** Name of the interface where groups are joined; null for the same. */
    public String hears;
    /** Hops that a datagram to a group may go. */
    public int ttl = 1;

    /** Checks what can be checked without the machine that it is for. */
    void check() {
        addresses();
        if (ttl < 1 || ttl > MOST_TTL) {
            throw new AnepException(ErrorCode.BAD_CONFIGURATION, "links: ttl is " + ttl + "; it must be from 1 to " + MOST_TTL);
        }
    }

    private List<InetSocketAddress> addresses() {
        return neighbours.stream().map(text -> NodeConfiguration.address("links: neighbours", String.valueOf(text))).toList();
    }

    LinkSettings settings() {
        check();
        NetworkInterface sent = groups == null ? null : named(groups);
        return new LinkSettings(addresses(), sent, hears == null ? sent : named(hears), ttl);
    }

    private static NetworkInterface named(String name) {
        try {
            NetworkInterface found = NetworkInterface.getByName(name);
            if (found == null) {
                throw new AnepException(ErrorCode.NO_INTERFACE, "links: there is no interface '" + name + "'; there are "
                        + NetworkInterface.networkInterfaces().map(NetworkInterface::getName).sorted().collect(Collectors.joining(", ")));
            }
            return found;
        } catch (SocketException e) {
            throw new AnepException(ErrorCode.NO_INTERFACE, "links: interface " + name + ": " + e.getMessage(), e);
        }
    }
}
