package org.tamanoir.cluster.nft;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.tamanoir.cluster.plan.Plan;
import org.tamanoir.cluster.plan.Plan.RealServer;
import org.tamanoir.cluster.plan.Plan.VirtualService;
import org.tamanoir.cluster.plan.Transport;

/**
 * A plan as rules of nftables. No I/O. The base chains:
 *
 * <ul>
 * <li>{@code arrive}, prerouting: the first packet of a connection finds its virtual service, there its back end, and gets its new destination (dnat);
 * <li>{@code pass}, forward: each packet finds the few services that lead to its back end, and is counted; a source's time begins anew;
 * <li>{@code leave}, postrouting: connections from one back end to another come from the director (masquerade), or answers would not;
 * <li>{@code refuse}, input: what no back end has taken is refused, and not given to a program of the director that happens to listen.
 * </ul>
 *
 * <p>Packets are told from others by what connection tracking knows of them, their first destination and that it was changed, and not by a mark, which
 * other programs may use.
 */
final class Ruleset {
    /** Of new connections; packets to the back end and from it; behind {@link RuleNames#of(VirtualService, RealServer)}. */
    static final String CONNECTIONS = "_new";
    static final String IN = "_in";
    static final String OUT = "_out";
    /** Sources that a back end can have at a time; others go by the hash alone. */
    static final int MOST_SOURCES = 65_536;
    /** Fixed: with one of its own each kernel would hash in another way, and two directors would disagree. */
    private static final String SEED = "0x54414d41";

    private final Set<String> counters = new LinkedHashSet<>();
    private final Map<String, String> sets = new LinkedHashMap<>();
    private final Map<String, List<String>> chains = new LinkedHashMap<>();
    /** The services of a pool have the same weights. */
    private final Map<Map<String, Integer>, List<String>> placed = new HashMap<>();
    private final Plan plan;
    private final Predicate<RealServer> up;

    private Ruleset(Plan plan, Predicate<RealServer> up) {
        this.plan = plan;
        this.up = up;
    }

    /**
     * The rules of a plan.
     *
     * @param up whether a back end answers; one that does not gets no new connections
     */
    static TableContent of(Plan plan, Predicate<RealServer> up) {
        Ruleset ruleset = new Ruleset(plan, up);
        for (String base : new TreeSet<>(TableContent.BASES.keySet())) {
            ruleset.chains.put(base, new ArrayList<>());
        }
        for (VirtualService service : plan.services()) {
            ruleset.serve(service);
        }
        ruleset.count();
        for (String family : List.of("ip", "ip6")) {
            List<VirtualService> services = plan.services().stream().filter(service -> RuleNames.family(service.address()).equals(family)).toList();
            if (!services.isEmpty()) {
                ruleset.bases(family, services);
            }
        }
        return new TableContent(ruleset.counters, ruleset.sets, ruleset.chains);
    }

    /** Back ends that get new connections of a service. */
    static List<RealServer> serving(VirtualService service, Predicate<RealServer> up) {
        return service.servers().stream().filter(server -> server.weight() > 0 && up.test(server)).toList();
    }

    private void serve(VirtualService service) {
        String family = RuleNames.family(service.address());
        String protocol = RuleNames.of(service.transport());
        long seconds = persistence(service);
        List<String> rules = new ArrayList<>();
        Map<String, Integer> weights = new LinkedHashMap<>();
        Map<String, String> chain = new LinkedHashMap<>();
        for (RealServer server : serving(service, up)) {
            String name = "to_" + RuleNames.of(service, server);
            String sources = RuleNames.sources(service, server, seconds);
            List<String> take = new ArrayList<>();
            if (seconds > 0) {
                sets.put(sources, "type ipv" + (family.equals("ip") ? 4 : 6) + "_addr; flags dynamic,timeout; timeout " + seconds + "s; size " + MOST_SOURCES + ";");
                rules.add(family + " saddr @" + sources + " goto " + name);
                // In a rule of its own: with a full set the rest of the rule would not be run.
                take.add("update @" + sources + " { " + family + " saddr timeout " + seconds + "s }");
            }
            take.add("meta l4proto " + protocol + " counter name " + RuleNames.of(service, server) + CONNECTIONS + " dnat " + family + " to "
                    + RuleNames.endpoint(server.address(), server.port()));
            chains.put(name, take);
            weights.put(server.name(), server.weight());
            chain.put(server.name(), name);
        }
        List<String> buckets = placed.computeIfAbsent(weights, Buckets::place);
        if (!buckets.isEmpty()) {
            List<String> elements = new ArrayList<>();
            for (int i = 0; i < buckets.size(); i++) {
                elements.add(i + " : goto " + chain.get(buckets.get(i)));
            }
            rules.add("jhash " + family + " saddr" + (seconds > 0 ? "" : " . " + protocol + " sport") + " mod " + Buckets.SIZE + " seed " + SEED
                    + " vmap " + set(elements));
        }
        chains.put(RuleNames.of(service), rules);
    }

    /** Whole seconds; the longest of the services that share address and port, 0 without. */
    private long persistence(VirtualService service) {
        return service.persistence().isZero() ? 0 : plan.services().stream()
                .filter(other -> other.address().equals(service.address()) && other.port() == service.port())
                .mapToLong(other -> Math.max(1, other.persistence().toSeconds())).max().orElse(0);
    }

    /** Two chains for each place where connections lead to; those that drain or are down are counted too. */
    private void count() {
        Map<String, List<String>> in = new LinkedHashMap<>();
        Map<String, List<String>> out = new LinkedHashMap<>();
        for (VirtualService service : plan.services()) {
            String family = RuleNames.family(service.address());
            String original = original(service);
            for (RealServer server : service.servers()) {
                String counter = RuleNames.of(service, server);
                counters.addAll(List.of(counter + CONNECTIONS, counter + IN, counter + OUT));
                String there = RuleNames.of(service.transport(), server);
                List<String> rules = in.computeIfAbsent("in_" + there, name -> new ArrayList<>());
                String sources = RuleNames.sources(service, server, persistence(service));
                if (sets.containsKey(sources)) {
                    rules.add(original + " " + family + " saddr @" + sources + " update @" + sources + " { " + family + " saddr timeout "
                            + persistence(service) + "s }");
                }
                rules.add(original + " counter name " + counter + IN + " accept");
                out.computeIfAbsent("out_" + there, name -> new ArrayList<>()).add(original + " counter name " + counter + OUT + " accept");
            }
        }
        chains.putAll(in);
        chains.putAll(out);
    }

    private void bases(String family, List<VirtualService> services) {
        Set<String> find = new LinkedHashSet<>();
        Set<String> in = new LinkedHashSet<>();
        Set<String> out = new LinkedHashSet<>();
        Map<Transport, Set<String>> virtual = new LinkedHashMap<>();
        Set<String> servers = new TreeSet<>();
        for (VirtualService service : services) {
            String protocol = " . " + RuleNames.of(service.transport()) + " . ";
            find.add(RuleNames.text(service.address()) + protocol + service.port() + " : goto " + RuleNames.of(service));
            virtual.computeIfAbsent(service.transport(), transport -> new LinkedHashSet<>()).add(RuleNames.text(service.address()) + " . " + service.port());
            for (RealServer server : service.servers()) {
                String there = RuleNames.text(server.address()) + protocol + server.port() + " : goto ";
                in.add(there + "in_" + RuleNames.of(service.transport(), server));
                out.add(there + "out_" + RuleNames.of(service.transport(), server));
                servers.add(RuleNames.text(server.address()));
            }
        }
        chains.get("arrive").add(family + " daddr . meta l4proto . th dport vmap " + set(find));
        if (!servers.isEmpty()) {
            chains.get("pass").add("ct status dnat ct direction original " + family + " daddr . meta l4proto . th dport vmap " + set(in));
            chains.get("pass").add("ct status dnat ct direction reply " + family + " saddr . meta l4proto . th sport vmap " + set(out));
        }
        for (VirtualService service : servers.isEmpty() ? List.<VirtualService>of() : services) {
            chains.get("leave").add("ct status dnat " + family + " saddr " + set(servers) + " " + original(service) + " masquerade");
        }
        virtual.forEach((transport, ends) -> chains.get("refuse").add("ct direction original " + family + " daddr . " + RuleNames.of(transport) + " dport "
                + set(ends) + " reject with " + refusal(transport, family)));
    }

    private static String refusal(Transport transport, String family) {
        return transport == Transport.TCP ? "tcp reset" : (family.equals("ip") ? "icmp" : "icmpv6") + " port-unreachable";
    }

    /** Matches both directions of a service's connections. Not as a concatenation: nft 1.0.6 loses its second half. */
    private static String original(VirtualService service) {
        return "meta l4proto " + RuleNames.of(service.transport()) + " ct original " + RuleNames.family(service.address()) + " daddr "
                + RuleNames.text(service.address()) + " ct original proto-dst " + service.port();
    }

    private static String set(Collection<String> elements) {
        return elements.stream().collect(Collectors.joining(", ", "{ ", " }"));
    }
}
