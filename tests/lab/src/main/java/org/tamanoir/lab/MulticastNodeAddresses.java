package org.tamanoir.lab;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Collectors;
import org.tamanoir.lab.MulticastTestbed.Site;

/**
 * Where the nodes of a {@link MulticastTestbed} take streams: one on the core and one on each site's router, each the neighbour of those that
 * it has a link to.
 *
 * @param ipv6 whether nodes, receivers and source speak IPv6 with each other
 */
public record MulticastNodeAddresses(MulticastTestbed testbed, boolean ipv6) {
    private static final int PORT = 3322;

    /** The node of the core, for the source: {@code 10.0.0.1:3322}. */
    public String source() {
        return address(testbed.access().second());
    }

    /** The node of a site, for its receivers. */
    public String site(Site site) {
        return address(site.lan().port());
    }

    /** The host of the core node's address on a site's side, as it stands in an address. */
    public String coreHost(Site site) {
        return host(site.backbone().first());
    }

    /** {@code links} of the core node's configuration. */
    public String coreLinks() {
        return links(testbed.sites().stream().map(site -> address(site.backbone().second())).toList(), "");
    }

    /** {@code links} of the configuration of a site's node. */
    public String siteLinks(Site site) {
        return links(List.of(address(site.backbone().first())), "  interface: " + Bridge.NAME + "\n");
    }

    private static String links(List<String> neighbours, String more) {
        return "links:\n  neighbours: [" + neighbours.stream().map(each -> "'" + each + "'").collect(Collectors.joining(", ")) + "]\n  members: "
                + Lab.PREFIXES + "\n" + more;
    }

    private String address(Port port) {
        return host(port) + ":" + PORT;
    }

    private String host(Port port) {
        InetAddress address = ipv6 ? port.ipv6() : port.ipv4();
        String text = address.getHostAddress().replaceAll("%.*", "");
        return ipv6 ? "[" + text + "]" : text;
    }
}
