package org.tamanoir.kernel;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tamanoir.kernel.LightConnections.LightConnection;
import org.tamanoir.service.rule.Prefix;

/**
 * The text of the nftables transactions of {@link LightConnections}. The table has three base chains:
 *
 * <ul>
 * <li>{@code arrive}, prerouting: the first packet of a connection finds its connection, in order, and sets the new destination (dnat);
 * <li>{@code pass}, forward: every packet goes by its far end to a chain of the few connections that lead there; these count and mark;
 * <li>{@code leave}, postrouting: the first packet of such a connection gets this host's address as its source (masquerade).
 * </ul>
 *
 * <p>Packets are told from others by what connection tracking knows of them, their first destination and that it was changed, and not by a
 * mark, which other programs may use. Counters are named objects, so that they outlive the rules that use them.
 */
final class ConnectionTable {
    /** Of an entry, behind its identifier. */
    static final String CONNECTIONS = "_connections";
    static final String TO = "_to";
    static final String BACK = "_back";

    /**
     * A connection with the identifier that its counters have.
     *
     * @param id of nftables: {@code c1}
     */
    record Entry(String id, LightConnection connection) {
    }

    private final String name;

    ConnectionTable(String name) {
        this.name = name;
    }

    /** Makes the table and its base chains; fails if another owner has it. */
    String create() {
        return "add table " + name() + " { flags owner;\n}\n"
                + "add chain " + name() + " arrive { type nat hook prerouting priority dstnat; }\n"
                + "add chain " + name() + " pass { type filter hook forward priority mangle; }\n"
                + "add chain " + name() + " leave { type nat hook postrouting priority srcnat; }\n";
    }

    String delete() {
        return "delete table " + name() + "\n";
    }

    /**
     * Puts entries in place of those before, all at once.
     *
     * @param entries    in the order in which a connection looks for its own
     * @param generation a number that no transaction on this table had before
     * @param chains     of the generation before
     * @param gone       identifiers of the generation before that are not among the entries
     */
    String replace(List<Entry> entries, int generation, Collection<String> chains, Collection<String> gone) {
        StringBuilder text = new StringBuilder();
        for (String base : List.of("arrive", "pass", "leave")) {
            text.append("flush chain ").append(name()).append(' ').append(base).append('\n');
        }
        chains.forEach(chain -> text.append("flush chain ").append(name()).append(' ').append(chain).append('\n'));
        chains.forEach(chain -> text.append("delete chain ").append(name()).append(' ').append(chain).append('\n'));
        for (String id : gone) {
            counters(id).forEach(counter -> text.append("delete counter ").append(name()).append(' ').append(counter).append('\n'));
        }
        // Without the flag the block would ask for a table without an owner, which the kernel refuses.
        text.append("table ").append(name()).append(" {\nflags owner;\n");
        for (Entry entry : entries) {
            counters(entry.id).forEach(counter -> text.append("counter ").append(counter).append(" {\n}\n"));
        }
        arrive(text, entries);
        pass(text, entries, generation);
        leave(text, entries);
        return text.append("}\n").toString();
    }

    /** The chains that {@link #replace} makes besides the base chains. */
    static List<String> chains(List<Entry> entries, int generation) {
        List<String> chains = new ArrayList<>();
        for (int i = 0; i < byFarEnd(entries).size(); i++) {
            chains.add(chain(generation, i, TO));
            chains.add(chain(generation, i, BACK));
        }
        return chains;
    }

    static List<String> counters(String id) {
        return List.of(id + CONNECTIONS, id + TO, id + BACK);
    }

    /** The table's name as commands have it. */
    String name() {
        return "inet " + name;
    }

    private static void arrive(StringBuilder text, List<Entry> entries) {
        String ports = entries.stream().map(entry -> entry.connection.listen().getPort()).distinct().map(String::valueOf)
                .collect(Collectors.joining(", "));
        text.append("chain arrive {\ntcp dport != { ").append(ports).append(" } accept\n");
        for (Entry entry : entries) {
            LightConnection connection = entry.connection;
            String family = family(connection.to());
            text.append("meta nfproto ").append(family.equals("ip") ? "ipv4" : "ipv6").append(' ');
            if (restricts(connection.source())) {
                text.append(family).append(" saddr ").append(text(connection.source())).append(' ');
            }
            InetAddress listen = connection.listen().getAddress();
            text.append(listen.isAnyLocalAddress() ? "fib daddr type local " : family + " daddr " + text(listen) + " ");
            text.append("tcp dport ").append(connection.listen().getPort()).append(" counter name ").append(entry.id).append(CONNECTIONS);
            text.append(" dnat ").append(family).append(" to ").append(endpoint(connection.to())).append('\n');
        }
        text.append("}\n");
    }

    /** The chains of the far ends come first: nftables does not take a jump to a chain that it has not seen. */
    private static void pass(StringBuilder text, List<Entry> entries, int generation) {
        StringBuilder maps = new StringBuilder();
        List<List<Entry>> groups = byFarEnd(entries);
        for (int i = 0; i < groups.size(); i++) {
            text.append("chain ").append(chain(generation, i, TO)).append(" {\n");
            for (Entry entry : groups.get(i)) {
                Integer dscp = entry.connection.dscp();
                text.append(original(entry.connection)).append(" counter name ").append(entry.id).append(TO)
                        .append(dscp == null ? "" : " " + family(entry.connection.to()) + " dscp set " + dscp).append(" accept\n");
            }
            text.append("}\nchain ").append(chain(generation, i, BACK)).append(" {\n");
            for (Entry entry : groups.get(i)) {
                text.append(original(entry.connection)).append(" counter name ").append(entry.id).append(BACK).append(" accept\n");
            }
            text.append("}\n");
        }
        for (String family : List.of("ip", "ip6")) {
            map(maps, groups, generation, family, "original", " daddr . tcp dport", TO);
            map(maps, groups, generation, family, "reply", " saddr . tcp sport", BACK);
        }
        text.append("chain pass {\n").append(maps).append("}\n");
    }

    private static void map(StringBuilder text, List<List<Entry>> groups, int generation, String family, String direction, String key,
            String suffix) {
        List<String> elements = new ArrayList<>();
        for (int i = 0; i < groups.size(); i++) {
            InetSocketAddress to = groups.get(i).get(0).connection.to();
            if (family(to).equals(family)) {
                elements.add(text(to.getAddress()) + " . " + to.getPort() + " : goto " + chain(generation, i, suffix));
            }
        }
        if (!elements.isEmpty()) {
            text.append("ct status dnat ct direction ").append(direction).append(' ').append(family).append(key).append(" vmap { ")
                    .append(String.join(", ", elements)).append(" }\n");
        }
    }

    private static void leave(StringBuilder text, List<Entry> entries) {
        text.append("chain leave {\nct status & dnat == 0 accept\n");
        for (Entry entry : entries) {
            InetSocketAddress to = entry.connection.to();
            text.append(family(to)).append(" daddr ").append(text(to.getAddress())).append(" tcp dport ").append(to.getPort()).append(' ')
                    .append(original(entry.connection)).append(" masquerade\n");
        }
        text.append("}\n");
    }

    /** Matches both directions of a connection by its first packet, before anything was changed in it. */
    private static String original(LightConnection connection) {
        String family = family(connection.to());
        InetAddress listen = connection.listen().getAddress();
        return "meta l4proto tcp"
                + (restricts(connection.source()) ? " ct original " + family + " saddr " + text(connection.source()) : "")
                + (listen.isAnyLocalAddress() ? "" : " ct original " + family + " daddr " + text(listen))
                + " ct original proto-dst " + connection.listen().getPort();
    }

    private static List<List<Entry>> byFarEnd(List<Entry> entries) {
        Map<InetSocketAddress, List<Entry>> groups = new LinkedHashMap<>();
        entries.forEach(entry -> groups.computeIfAbsent(entry.connection.to(), key -> new ArrayList<>()).add(entry));
        return List.copyOf(groups.values());
    }

    private static String chain(int generation, int group, String suffix) {
        return "g" + generation + "_" + group + suffix;
    }

    private static boolean restricts(Prefix source) {
        return source != null && source.length() > 0;
    }

    private static String family(InetSocketAddress address) {
        return address.getAddress() instanceof Inet4Address ? "ip" : "ip6";
    }

    private static String text(Prefix prefix) {
        return text(prefix.network()) + "/" + prefix.length();
    }

    /** Without the zone that Java writes behind link-local addresses. */
    private static String text(InetAddress address) {
        String text = address.getHostAddress();
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }

    private static String endpoint(InetSocketAddress address) {
        String text = text(address.getAddress());
        return (address.getAddress() instanceof Inet4Address ? text : "[" + text + "]") + ":" + address.getPort();
    }
}
