package org.tamanoir.cluster.ipvs;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Plan.VirtualService;
import org.tamanoir.cluster.plan.Transport;
import org.tamanoir.membership.Welcome.Method;

/**
 * A plan as IPVS has it. Virtual services over TCP and UDP of one address and port that are both persistent become one by a firewall mark: only so the
 * kernel remembers one back end for a source, whichever transport it comes by. All others stay what they are.
 *
 * <p>In one by a mark a back end that drains (weight 0) gets no source that it has not, and keeps those that it has, over TCP and UDP, so that the streams of
 * an application stay together until the back end goes.
 */
final class Director {
    /**
     * A virtual service of IPVS.
     *
     * @param carries those of the plan: one, or TCP's and UDP's
     * @param servers of them all, in the order of the plan
     */
    record Service(ServiceKey key, List<VirtualService> carries, List<RealServer> servers) {
        /** What its scheduler, method and persistence are read from. */
        VirtualService first() {
            return carries.get(0);
        }

        boolean carriesAt(InetSocketAddress end) {
            return carries.stream().anyMatch(service -> end.equals(new InetSocketAddress(service.address(), service.port())));
        }

        /**
         * Whether a back end that does not answer its check stays, with the weight 0, until the plan is without it. It gets nothing new, and what it has goes
         * on if the check was wrong, as it is when a machine is busy; a connection whose back end is not there would be ended. Flows over UDP have to move,
         * so where nothing is over TCP the back end goes.
         */
        boolean keepsUnchecked() {
            return key.isMark() || first().transport() == Transport.TCP;
        }

        /** Whether the kernel gives a back end something new: its weight is 0 while its check fails, and while it drains. @param table the plain form */
        private boolean serves(RealServer server, IpvsTable table) {
            InetSocketAddress place = key.place(server);
            return keepsUnchecked() ? table.number(key, place, 1) > 0 : table.has(key, place);
        }
    }

    private Director() {
    }

    /**
     * The back ends that get streams. Each service has a check of its own, so one is among them when all services of the plan that are to give it something do,
     * and stays among them until none does. Of one that drains nobody can say whether it answers: it is not among them.
     *
     * @param table  the plain form
     * @param before who was among them
     */
    static Set<String> serving(List<Service> services, IpvsTable table, Set<String> before) {
        Map<String, Boolean> all = new TreeMap<>();
        Set<String> some = new HashSet<>();
        services.forEach(service -> service.servers().stream().filter(server -> server.weight() > 0).forEach(server -> {
            boolean serves = service.serves(server, table);
            all.merge(server.name(), serves, Boolean::logicalAnd);
            if (serves) {
                some.add(server.name());
            }
        }));
        return all.entrySet().stream().filter(each -> each.getValue() || before.contains(each.getKey()) && some.contains(each.getKey())).map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * The virtual services of a plan that have back ends, in its order.
     *
     * @throws AnepException EE-905 for what keepalived cannot have, EE-907 for what IPVS cannot do
     */
    static List<Service> services(Plan plan, IpvsSettings settings) {
        Map<InetSocketAddress, List<VirtualService>> ends = new LinkedHashMap<>();
        for (VirtualService each : plan.services()) {
            check(each);
            ends.computeIfAbsent(new InetSocketAddress(each.address(), each.port()), end -> new ArrayList<>()).add(each);
        }
        Map<InetSocketAddress, Long> marks = marks(ends, settings);
        List<Service> services = new ArrayList<>();
        ends.forEach((end, carries) -> {
            if (together(carries)) {
                services.add(marked(ServiceKey.ofMark(marks.get(end), end.getAddress() instanceof Inet6Address), carries));
            } else {
                carries.forEach(each -> services.add(alone(each)));
            }
        });
        // keepalived ignores a service without back ends, with a word of warning; its packets are refused by the director's own stack.
        return services.stream().filter(service -> !service.servers().isEmpty()).toList();
    }

    /** IPVS leaves a flow over UDP at a back end of weight 0 for as long as it goes on, and moves it at once if that is not there (expire_nodest_conn). */
    private static Service alone(VirtualService service) {
        return new Service(ServiceKey.of(service.transport(), service.address(), service.port()), List.of(service), service.transport() == Transport.TCP
                ? service.servers() : service.servers().stream().filter(server -> server.weight() > 0).toList());
    }

    private static boolean together(List<VirtualService> carries) {
        return carries.size() == 2 && carries.stream().noneMatch(each -> each.persistence().isZero());
    }

    /** TCP's weights count: the one of UDP has no back ends that drain. */
    private static Service marked(ServiceKey key, List<VirtualService> both) {
        VirtualService tcp = both.get(both.get(0).transport() == Transport.TCP ? 0 : 1);
        VirtualService udp = both.get(tcp == both.get(0) ? 1 : 0);
        if (tcp.method() != udp.method()) {
            throw new AnepException(ErrorCode.DIRECTOR_REFUSED, name(tcp) + " is forwarded in one way over TCP and in another over UDP; sources can stick to "
                    + "back ends over both only if the ways are the same");
        }
        Map<InetSocketAddress, RealServer> servers = new LinkedHashMap<>();
        for (VirtualService each : List.of(tcp, udp)) {
            for (RealServer server : each.servers()) {
                if (server.port() != each.port()) {
                    throw new AnepException(ErrorCode.DIRECTOR_REFUSED, "the back end " + server.name() + " has port " + server.port() + " and " + name(each)
                            + " another: where sources stick to back ends over TCP and UDP, IPVS does not translate ports");
                }
                servers.putIfAbsent(new InetSocketAddress(server.address(), server.port()), server);
            }
        }
        return new Service(key, List.of(tcp, udp), List.copyOf(servers.values()));
    }

    /**
     * A mark for each address and port: by a hash of these, so that two directors have the same whatever else they carry, as connections are synchronised by
     * mark; the next free one where two meet.
     */
    private static Map<InetSocketAddress, Long> marks(Map<InetSocketAddress, List<VirtualService>> ends, IpvsSettings settings) {
        Map<String, InetSocketAddress> ordered = new TreeMap<>();
        ends.forEach((end, carries) -> {
            if (together(carries)) {
                ordered.put(ServiceKey.end(end), end);
            }
        });
        if (ordered.size() > settings.marks()) {
            throw new AnepException(ErrorCode.DIRECTOR_REFUSED, ordered.size() + " addresses and ports need firewall marks, and there are "
                    + settings.marks());
        }
        Map<InetSocketAddress, Long> marks = new LinkedHashMap<>();
        ordered.forEach((text, end) -> {
            int slot = Math.floorMod(text.hashCode() * 0x9e37_79b1, settings.marks());
            long mark = (long) settings.firstMark() + slot;
            while (marks.containsValue(mark)) {
                slot = (slot + 1) % settings.marks();
                mark = (long) settings.firstMark() + slot;
            }
            marks.put(end, mark);
        });
        return marks;
    }

    private static void check(VirtualService service) {
        SafeWords.address(service.address(), "a virtual address");
        SafeWords.port(service.port(), "the port of a virtual service");
        if (service.persistence().isNegative() || service.persistence().toDays() > 31) {
            throw new AnepException(ErrorCode.KEEPALIVED, name(service) + " has a persistence of " + service.persistence() + ", not 0 to 31 days");
        }
        for (RealServer server : service.servers()) {
            SafeWords.name(server.name());
            SafeWords.address(server.address(), "the address of the back end " + server.name());
            SafeWords.port(server.port(), "the port of the back end " + server.name());
            SafeWords.port(server.health(), "the port of health of the back end " + server.name());
            SafeWords.number(server.weight(), 0, RealServer.MOST_WEIGHT, "the weight of the back end " + server.name());
            if (service.method() != Method.TUNNEL && !Vrrp.family(server.address(), service.address())) {
                throw new AnepException(ErrorCode.DIRECTOR_REFUSED, "the back end " + server.name() + " has an address of another family than " + name(service)
                        + ", which only tunnels can join");
            }
            if (service.method() != Method.NAT && server.port() != service.port()) {
                throw new AnepException(ErrorCode.DIRECTOR_REFUSED, "the back end " + server.name() + " has port " + server.port() + " and " + name(service)
                        + " another: only NAT translates ports");
            }
        }
    }

    private static String name(VirtualService service) {
        return ServiceKey.end(new InetSocketAddress(service.address(), service.port()));
    }
}
