package org.tamanoir.node.manage.configuration;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.node.link.LinkSettings;
import org.tamanoir.service.rule.Prefix;

/**
 * {@code links:} of the configuration: what is next to the node, for services that speak with it.
 *
 * @param neighbours ANEP addresses of other nodes
 * @param members    prefixes of the hosts that may take part in groups and sessions through the node. Not said: loopback on a loopback address, nobody
 *                   elsewhere
 * @param groups     name of the outgoing interface for what is sent to groups; null for none
 * @param hears      name of the interface where groups are joined; null for the same
 * @param ttl        hops that a datagram to a group may go
 */
public record LinksSection(List<InetSocketAddress> neighbours, List<Prefix> members, @JsonProperty("interface") String groups, String hears, Integer ttl) {
    private static final int MOST_TTL = 255;

    public LinksSection {
        neighbours = ConfigurationValues.all("neighbours", neighbours);
        members = members == null ? null : ConfigurationValues.all("members", members);
        ttl = ConfigurationValues.or(ConfigurationValues.within("ttl", ttl, 1, MOST_TTL), 1);
    }

    /**
     * What is next to a node.
     *
     * @param listen where its streams come in
     * @throws AnepException EE-604 if the machine has no such interface now
     */
    LinkSettings settings(InetSocketAddress listen) {
        NetworkInterface sent = groups == null ? null : named(groups);
        List<Prefix> listed = members != null ? members : listen.getAddress().isLoopbackAddress() ? LinkSettings.LOOPBACK : List.of();
        return new LinkSettings(neighbours, listed, sent, hears == null ? sent : named(hears), ttl);
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
