package org.tamanoir.cluster.ipvs;

import java.util.List;
import java.util.Locale;
import org.tamanoir.cluster.plan.Plan.VirtualService;

/**
 * The text of the nftables table that gives packets of services by firewall mark their mark, before IPVS sees them (its hook is LOCAL_IN). There is one for
 * each family of addresses that needs it: kernels without the family {@code inet} can be directors too. A table has no owner in the sense of nft(8): it stays
 * as long as what keepalived has put into the kernel, for both make a service only together, and a comment says whose it is.
 */
final class MarkTable {
    static final String NAME = "tamanoir_cluster";
    /** As nft(8) names families: IPv4 and IPv6. */
    static final List<String> FAMILIES = List.of("ip", "ip6");

    private MarkTable() {
    }

    /** Whether a family has services by mark. */
    static boolean needed(List<Director.Service> services, String family) {
        return services.stream().anyMatch(service -> service.key().isMark() && family(service.key()).equals(family));
    }

    /** Replaces the table of a family by one with its services; all packets meet the old one or the new one. */
    static String replace(List<Director.Service> services, String family, String owner) {
        StringBuilder text = new StringBuilder(remove(family));
        text.append("table ").append(family).append(' ').append(NAME).append(" {\n\tcomment \"").append(comment(owner)).append("\"\n");
        text.append("\tchain arrive {\n\t\ttype filter hook prerouting priority mangle; policy accept;\n");
        for (Director.Service service : services) {
            if (service.key().isMark() && family(service.key()).equals(family)) {
                for (VirtualService each : service.carries()) {
                    text.append("\t\t").append(family).append(" daddr ").append(each.address().getHostAddress()).append(' ')
                            .append(each.transport().name().toLowerCase(Locale.ROOT)).append(" dport ").append(each.port())
                            .append(" meta mark set ").append(service.key().mark()).append('\n');
                }
            }
        }
        return text.append("\t}\n}\n").toString();
    }

    /** Takes the table of a family away, whether it is there or not. */
    static String remove(String family) {
        return "table " + family + " " + NAME + "\ndelete table " + family + " " + NAME + "\n";
    }

    /** What the list of a table holds if it belongs to this owner. */
    static String comment(String owner) {
        return "IPVS engine " + owner;
    }

    static String family(ServiceKey key) {
        return key.six() ? "ip6" : "ip";
    }
}
