package org.tamanoir.cluster.ipvs;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.cluster.plan.Plan.RealServer;

/**
 * What to do with virtual services that a keepalived has left in the kernel, before the next one starts: that one adds what is missing and takes for done what
 * it finds (ip_vs returns EEXIST), with whatever weight it has, and knows nothing of what is too much. No I/O.
 *
 * @param services to take out
 * @param linger   that stay for their connections and get nothing new: what {@link SupersededServices} is for in one run, from the run before
 * @param servers  to take out of services that stay
 * @param weights  to change
 * @param stay     places that are as they should be then; one that has failed its check, and stays with the weight 0 for that, is not among them
 */
record Takeover(List<ServiceKey> services, List<ServiceKey> linger, List<KeepalivedConf.Place> servers, Map<KeepalivedConf.Place, Integer> weights,
                Set<KeepalivedConf.Place> stay) {
    /**
     * Compares.
     *
     * @param owned  services that may be touched
     * @param table  the plain form, see {@link Ipvsadm#table}
     * @param wanted what is to be there
     */
    static Takeover of(Set<ServiceKey> owned, IpvsTable table, List<Director.Service> wanted) {
        Takeover takeover = new Takeover(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new LinkedHashMap<>(), new HashSet<>());
        table.services().forEach((key, found) -> {
            if (owned.contains(key)) {
                wanted.stream().filter(service -> service.key().equals(key) && same(service, found.words())).findFirst().ifPresentOrElse(
                        service -> takeover.servers(service, found), () -> (lingers(key, table, wanted) ? takeover.linger : takeover.services).add(key));
            }
        });
        return takeover;
    }

    /** One by a mark that is not set any more, or by an address and port whose packets get a mark now, for as long as it has connections. */
    private static boolean lingers(ServiceKey key, IpvsTable table, List<Director.Service> wanted) {
        return wanted.stream().noneMatch(service -> service.key().equals(key)) && table.connections(key) > 0
                && (key.isMark() || wanted.stream().anyMatch(service -> service.key().isMark() && service.carriesAt(key.end())));
    }

    /** Whether a service is what is wanted, back ends aside; its words are {@code wlc} or {@code wlc persistent 300}. */
    private static boolean same(Director.Service wanted, List<String> words) {
        long persistence = KeepalivedConf.persistence(wanted.first());
        int at = words.indexOf("persistent");
        String found = at < 0 || at + 1 >= words.size() ? "0" : words.get(at + 1);
        return !words.isEmpty() && words.get(0).equals(KeepalivedConf.scheduler(wanted.first().scheduler())) && found.equals(Long.toString(persistence));
    }

    private void servers(Director.Service wanted, IpvsTable.Service found) {
        Map<InetSocketAddress, RealServer> servers = new LinkedHashMap<>();
        wanted.servers().forEach(server -> servers.put(wanted.key().place(server), server));
        String method = method(wanted);
        found.servers().forEach((end, columns) -> {
            KeepalivedConf.Place place = new KeepalivedConf.Place(wanted.key(), end);
            RealServer server = servers.get(end);
            if (server == null || columns.size() < 2 || !columns.get(0).equals(method)) {
                this.servers.add(place);
            } else if (!wanted.keepsUnchecked() || server.weight() == 0 || !columns.get(1).equals("0")) {
                stay.add(place);
                if (!columns.get(1).equals(Integer.toString(server.weight()))) {
                    weights.put(place, server.weight());
                }
            }
        });
    }

    /** A method by ipvsadm's word in its list. */
    static String method(Director.Service service) {
        return switch (service.first().method()) {
            case NAT -> "Masq";
            case DIRECT -> "Route";
            case TUNNEL -> "Tunnel";
        };
    }
}
