package org.tamanoir.cluster.ipvs;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import org.tamanoir.cluster.plan.VirtualService;

/**
 * The text of the nftables table that gives packets of services by firewall mark their mark, before IPVS sees them (its hook is LOCAL_IN). The table has no
 * owner: it stays as long as what keepalived has put into the kernel, for both make a service only together, and a comment says whose it is.
 */
final class MarkTable {
    static final String NAME = "tamanoir_cluster";

    private MarkTable() {
    }

    /** Replaces the table by one with these services; all packets meet the old one or the new one. */
    static String replace(List<Director.Service> services, String owner) {
        StringBuilder text = new StringBuilder(remove());
        text.append("table inet ").append(NAME).append(" {\n\tcomment \"").append(comment(owner)).append("\"\n");
        text.append("\tchain mark {\n\t\ttype filter hook prerouting priority mangle; policy accept;\n");
        for (Director.Service service : services) {
            if (service.key().isMark()) {
                for (VirtualService each : service.carries()) {
                    InetSocketAddress end = new InetSocketAddress(each.address(), each.port());
                    text.append("\t\t").append(service.key().six() ? "ip6" : "ip").append(" daddr ").append(end.getAddress().getHostAddress()).append(' ')
                            .append(each.transport().name().toLowerCase(Locale.ROOT)).append(" dport ").append(end.getPort())
                            .append(" meta mark set ").append(service.key().mark()).append('\n');
                }
            }
        }
        return text.append("\t}\n}\n").toString();
    }

    /** Takes the table away, whether it is there or not. */
    static String remove() {
        return "table inet " + NAME + "\ndelete table inet " + NAME + "\n";
    }

    /** What the list of a table holds if it belongs to this owner. */
    static String comment(String owner) {
        return "IPVS engine " + owner;
    }
}
