package org.tamanoir.cluster.plan;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Plan.VirtualService;
import org.tamanoir.membership.Report.Affinity;
import org.tamanoir.membership.Welcome.Standing;

/**
 * Makes a plan of what is wanted and what is there: the same plan of the same, in whatever order it comes, so that two directors that know the same carry
 * the same. Every virtual address of every pool gets a virtual service over TCP and one over UDP, which has no server when no back end is there.
 *
 * <p>A back end that drains has weight 0 over TCP, so that its connections go on, and is not there over UDP, whose streams move at once. One that is held,
 * silent or gone is in no virtual service. One that has not answered a check, or does not any more, stays: the director's own check keeps streams from it.
 *
 * <p>Where sources stick to back ends over TCP and UDP, packets keep their port, also with translation of addresses (a firewall mark of IPVS stands for any
 * port): a back end with a port of its own is {@link #apart} then.
 */
public final class Planner {
    /** Of a back end without a weight: the least that still gets streams. */
    public static final int LEAST_WEIGHT = 1;
    /** IPv4 before IPv6, each by its octets. */
    static final Comparator<InetAddress> BY_OCTETS = Comparator.<InetAddress>comparingInt(address -> address.getAddress().length)
            .thenComparing(InetAddress::getAddress, Arrays::compareUnsigned);

    private record End(InetAddress address, int port) {
    }

    private Planner() {
    }

    /**
     * Makes a plan.
     *
     * @param backEnds those of pools that are not configured are left out, and so are those that the director cannot reach: of another family of addresses,
     *                 or with a port of their own where packets keep theirs, be it for the method or for the affinity
     * @param weights  by name of the back end; brought to 1 to {@link RealServer#MOST_WEIGHT}, and {@link #LEAST_WEIGHT} for one that is not there
     * @throws IllegalArgumentException if two back ends have one name
     */
    public static Plan plan(ClusterConfiguration configuration, Collection<BackEnd> backEnds, Map<String, Integer> weights) {
        List<BackEnd> ordered = new ArrayList<>(backEnds);
        ordered.sort(Comparator.comparing(BackEnd::name));
        for (int i = 1; i < ordered.size(); i++) {
            if (ordered.get(i).name().equals(ordered.get(i - 1).name())) {
                throw new IllegalArgumentException("two back ends are named " + ordered.get(i).name());
            }
        }
        List<VirtualService> services = new ArrayList<>();
        configuration.pools().stream().sorted(Comparator.comparing(Pool::name)).forEach(pool -> add(pool, members(pool, ordered), weights, services));
        return new Plan(services);
    }

    /**
     * Back ends that are in no virtual service because their pool gives an affinity, which they may have asked for themselves, and they have a port of their
     * own. When the affinity begins their connections end.
     *
     * @return why, with its code, by name
     */
    public static Map<String, String> apart(ClusterConfiguration configuration, Collection<BackEnd> backEnds) {
        Map<String, String> apart = new TreeMap<>();
        for (Pool pool : configuration.pools()) {
            List<BackEnd> members = members(pool, backEnds);
            if (given(pool, members) == Affinity.SOURCE) {
                members.stream().filter(each -> each.port() != pool.port()).forEach(each -> apart.put(each.name(), ErrorCode.BACK_END_SETUP + " port is "
                        + each.port() + "; pool " + pool.name() + " keeps the streams of a source together (affinity source), so it must be " + pool.port()));
            }
        }
        return apart;
    }

    private static List<BackEnd> members(Pool pool, Collection<BackEnd> backEnds) {
        return backEnds.stream().filter(each -> each.pool().equals(pool.name()) && each.planned() && pool.takes(each.port())).toList();
    }

    private static void add(Pool pool, List<BackEnd> members, Map<String, Integer> weights, List<VirtualService> services) {
        boolean sticky = given(pool, members) == Affinity.SOURCE;
        Duration persistence = sticky ? pool.persistence() : Duration.ZERO;
        List<BackEnd> fit = members.stream().filter(each -> !sticky || each.port() == pool.port()).toList();
        pool.addresses().stream().sorted(BY_OCTETS).forEach(address -> {
            for (Transport transport : Transport.values()) {
                services.add(new VirtualService(pool.name(), address, pool.port(), transport, pool.method(), pool.scheduler(), persistence,
                        servers(address, transport, fit, weights)));
            }
        });
    }

    /** What a pool gives its streams now. */
    public static Affinity affinity(Pool pool, Collection<BackEnd> backEnds) {
        return given(pool, members(pool, backEnds));
    }

    private static Affinity given(Pool pool, List<BackEnd> members) {
        return switch (pool.affinity()) {
            case NONE -> Affinity.NONE;
            case SOURCE -> Affinity.SOURCE;
            case AUTO -> members.stream().map(each -> each.needs(pool)).max(Comparator.naturalOrder()).orElse(Affinity.NONE);
        };
    }

    private static List<RealServer> servers(InetAddress virtual, Transport transport, List<BackEnd> members, Map<String, Integer> weights) {
        List<RealServer> servers = new ArrayList<>();
        Set<End> ends = new HashSet<>();
        for (BackEnd member : members) {
            boolean drains = member.standing() == Standing.DRAINING;
            // A virtual service cannot have one real server twice: the first name keeps it.
            if (member.address().getClass() == virtual.getClass() && !(drains && transport == Transport.UDP)
                    && ends.add(new End(member.address(), member.port()))) {
                int weight = Math.max(LEAST_WEIGHT, Math.min(RealServer.MOST_WEIGHT, weights.getOrDefault(member.name(), LEAST_WEIGHT)));
                servers.add(new RealServer(member.name(), member.address(), member.port(), drains ? 0 : weight, member.health()));
            }
        }
        return servers;
    }
}
