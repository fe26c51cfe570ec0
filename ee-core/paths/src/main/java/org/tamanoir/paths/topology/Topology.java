package org.tamanoir.paths.topology;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;

/**
 * The partition of hosts into domains. GlueDomains has "not a real database, but a set of agreed syntactical rules" (section 3): here a list of rules, of which
 * the first that matches decides, and hosts that are named one by one, which go before all rules.
 */
public final class Topology {
    public static final int MOST_DOMAINS = 10_000;
    public static final int MOST_RULES = 10_000;
    public static final int MOST_HOSTS = 100_000;
    /** Nothing is known of any host. */
    public static final Topology NONE = new Topology(List.of(), Map.of(), List.of());

    private final Map<String, Domain> domains = new LinkedHashMap<>();
    private final Map<String, String> hosts = new LinkedHashMap<>();
    private final List<Rule> rules;

    /**
     * @param hosts names or addresses, with the name of their domain
     * @param rules in order
     * @throws AnepException EE-780 if a domain is missing or stands twice, if a host is in two, or if there are too many of them
     */
    public Topology(Collection<Domain> domains, Map<String, String> hosts, List<Rule> rules) {
        most("domains", domains.size(), MOST_DOMAINS);
        most("rules", rules.size(), MOST_RULES);
        most("hosts", hosts.size(), MOST_HOSTS);
        for (Domain domain : domains) {
            if (this.domains.put(domain.name(), domain) != null) {
                throw bad("domains." + domain.name() + ": it stands twice");
            }
        }
        hosts.forEach((host, domain) -> {
            check("hosts." + host, domain);
            // Two spellings of one name, or of one IPv6 address.
            String before = this.hosts.put(key(host), domain);
            if (before != null && !before.equals(domain)) {
                throw bad("hosts." + host + ": it is in two domains, " + before + " and " + domain);
            }
        });
        rules.forEach(rule -> check("rules: " + rule, rule.domain()));
        this.rules = List.copyOf(rules);
    }

    private void check(String where, String domain) {
        if (!domains.containsKey(domain)) {
            throw bad(where + ": there is no domain " + domain);
        }
    }

    private static void most(String what, int size, int most) {
        if (size > most) {
            throw bad(what + ": " + size + " are more than " + most);
        }
    }

    public Collection<Domain> domains() {
        return List.copyOf(domains.values());
    }

    /** By its name; null if there is none. */
    public Domain domain(String name) {
        return domains.get(name);
    }

    /** Where a host is, of which only this text is known. @param host a DNS name or an address; it is not resolved */
    public Location locate(String host) {
        byte[] octets = NetUtil.createByteArrayFromIpAddressString(host);
        return octets == null ? locate(host, null) : locate(null, address(octets));
    }

    /** Where a host is. @param host its DNS name, or null @param address or null */
    public Location locate(String host, InetAddress address) {
        String name = host == null ? null : Rule.canonical(host);
        String shown = host != null ? host : address == null ? "" : address.getHostAddress();
        String domain = name == null ? null : hosts.get(name);
        String why = domain == null ? null : shown + " is listed in " + domain;
        if (domain == null && address != null) {
            domain = hosts.get(address.getHostAddress());
            why = domain == null ? null : address.getHostAddress() + " is listed in " + domain;
        }
        boolean listed = domain != null;
        Set<String> others = new LinkedHashSet<>();
        for (Rule rule : rules) {
            if (rule.matches(name, address)) {
                if (domain == null) {
                    domain = rule.domain();
                    why = shown + " is in " + domain + " by " + rule;
                } else if (!domain.equals(rule.domain())) {
                    others.add(rule.domain());
                }
            }
        }
        // Who is listed one by one is an exception to the rules on purpose.
        if (!listed && !others.isEmpty()) {
            why += ", though rules of " + String.join(", ", others) + " match too";
        }
        return new Location(shown, domain == null ? null : domains.get(domain), domain == null ? shown + " is in no domain: no entry and no rule matches" : why,
                listed ? List.of() : List.copyOf(others));
    }

    /** The bottlenecks that the traffic of a host passes; none if it is in no domain. */
    public Set<String> bottlenecks(String host) {
        Domain domain = locate(host).domain();
        return domain == null ? Set.of() : domain.bottlenecks();
    }

    /** What somebody should look at: rules that no host can reach, because one before them has all of theirs. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        for (int i = 0; i < rules.size(); i++) {
            Rule rule = rules.get(i);
            for (Rule before : rules.subList(0, i)) {
                boolean covered = rule.prefix() != null && before.prefix() != null ? before.prefix().covers(rule.prefix())
                        : rule.kind() == Rule.Kind.SUFFIX && before.kind() == Rule.Kind.SUFFIX && before.matches(Rule.canonical(rule.text()), null);
                if (covered) {
                    warnings.add("rule " + (i + 1) + " (" + rule + " -> " + rule.domain() + ") decides nothing: " + before + " -> " + before.domain() + " stands before it");
                    break;
                }
            }
        }
        return warnings;
    }

    private static String key(String host) {
        byte[] octets = NetUtil.createByteArrayFromIpAddressString(host);
        return octets == null ? Rule.canonical(host) : address(octets).getHostAddress();
    }

    private static InetAddress address(byte[] octets) {
        try {
            return InetAddress.getByAddress(octets);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private static AnepException bad(String what) {
        return new AnepException(ErrorCode.BAD_PLAN, what);
    }
}
