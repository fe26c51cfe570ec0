package org.tamanoir.paths.why;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tamanoir.paths.topology.Domain;
import org.tamanoir.paths.topology.Topology;
import org.tamanoir.service.rule.Prefix;

/** Two places that somebody asks about, and which hosts are meant by them. */
public record Ends(End from, End to) {
    /**
     * One of them.
     *
     * @param addresses of a host; none if the name is a domain's, or has no address
     * @param domain    null if there is none
     */
    public record End(String name, List<InetAddress> addresses, Domain domain) {
        boolean isKnown() {
            return !addresses.isEmpty() || domain != null;
        }
    }

    /**
     * What is meant.
     *
     * @param rule  in words
     * @param pairs none if nothing is known between the two
     */
    public record Found(String rule, List<HostPair> pairs) {
    }

    /** What is known between the two hosts goes before what is known between their domains. @param all between which something is known */
    public Found find(List<HostPair> all, Topology topology) {
        String hosts = from.name + " to " + to.name;
        Map<String, Prefix> prefixes = new HashMap<>();
        List<HostPair> pairs = all.stream().filter(pair -> isHost(from, pair.source(), prefixes) && isHost(to, pair.destination(), prefixes)).toList();
        if (!pairs.isEmpty() || from.domain == null || to.domain == null) {
            return new Found(hosts, pairs);
        }
        Map<String, Domain> domains = new HashMap<>();
        boolean areDomains = from.addresses.isEmpty() && to.addresses.isEmpty();
        return new Found("domain " + from.domain.name() + " to domain " + to.domain.name() + (areDomains ? "" : ", since none is known from " + hosts),
                all.stream().filter(pair -> isIn(from.domain, pair.source(), domains, topology) && isIn(to.domain, pair.destination(), domains, topology)).toList());
    }

    private static boolean isHost(End end, String address, Map<String, Prefix> known) {
        Prefix prefix = known.computeIfAbsent(address, Prefix::parse);
        return end.addresses.stream().anyMatch(prefix::contains);
    }

    private static boolean isIn(Domain domain, String address, Map<String, Domain> known, Topology topology) {
        return domain.equals(known.computeIfAbsent(address, text -> topology.locate(Prefix.parse(text).network().getHostAddress()).domain()));
    }

    /** That nothing was seen between them, and where not. */
    public String nothing(double seconds) {
        StringBuilder text = new StringBuilder("no theodolite saw a stream from " + from.name + " to " + to.name + " in the last " + Math.round(seconds) + " s");
        if (from.domain != null && to.domain != null) {
            text.append(", nor from domain ").append(from.domain.name()).append(" to domain ").append(to.domain.name());
        }
        for (End end : List.of(from, to)) {
            if (!end.isKnown()) {
                text.append("; ").append(end.name).append(" has no address and is in no domain");
            }
        }
        return text.toString();
    }
}
