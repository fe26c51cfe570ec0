package org.tamanoir.kernel;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.service.rule.Prefix;

/**
 * TCP connections that the kernel forwards: one nftables table, {@code inet tamanoir_PORT}, which belongs to this process and goes with it.
 * Nothing else of the host's rules is touched. A firewall of the host still has its say over the packets that it forwards.
 *
 * <p>A connection is led where the rules of its first moment said; replacing them changes the marks and counters of open connections, and
 * not where they lead. When the table goes, open connections break: nobody translates their packets any more.
 *
 * <p>Safe for all threads. There is no table as long as there are no connections.
 */
public final class LightConnections implements AutoCloseable {
    private static final Pattern COUNTER = Pattern.compile("counter (c\\d+)(_[a-z]+) \\{\\s*packets (\\d+) bytes (\\d+)");

    private final Kernel kernel;
    private final String name;
    private final ConnectionTable table;
    private final Map<String, String> ids = new HashMap<>();
    private List<String> chains = List.of();
    private int generation;
    private long lastId;
    private boolean made;

    /**
     * Of a node; makes nothing yet.
     *
     * @param kernel whose transactions are used; closing it ends the table too
     * @param port   the node's port, which names the table
     */
    public LightConnections(Kernel kernel, int port) {
        this.kernel = kernel;
        this.name = "tamanoir_" + port;
        this.table = new ConnectionTable(name);
    }

    /**
     * Puts connections in place of those before, in one transaction: a new connection meets either all of the old ones or all of the new.
     * Counters of a name that stays go on.
     *
     * @param connections in the order in which a connection looks for the first that it matches
     * @throws AnepException EE-602 if one is not valid, EE-601 if nftables refuses or another program has a table of this name; what was
     *                       there stays
     */
    public synchronized void replace(List<LightConnection> connections) {
        check(connections);
        if (connections.isEmpty()) {
            close();
            return;
        }
        generation++;
        Map<String, String> kept = new LinkedHashMap<>();
        for (LightConnection each : connections) {
            // Never one that another name had: its counters would go on from there.
            kept.put(each.name(), ids.containsKey(each.name()) ? ids.get(each.name()) : "c" + ++lastId);
        }
        List<ConnectionTable.Entry> entries = connections.stream().map(each -> new ConnectionTable.Entry(kept.get(each.name()), each)).toList();
        Set<String> gone = new HashSet<>(ids.values());
        gone.removeAll(kept.values());
        if (!made) {
            refuseStranger();
        }
        kernel.nft((made ? "" : table.create()) + table.replace(entries, generation, chains, gone));
        made = true;
        ids.clear();
        ids.putAll(kept);
        chains = ConnectionTable.chains(entries, generation);
    }

    /** What each connection has carried, by its name. */
    public synchronized Map<String, ConnectionCounters> counters() {
        if (!made) {
            return Map.of();
        }
        Map<String, long[]> read = new HashMap<>();
        Matcher matcher = COUNTER.matcher(kernel.nft("list counters table " + table.name()));
        while (matcher.find()) {
            read.put(matcher.group(1) + matcher.group(2), new long[] {Long.parseLong(matcher.group(3)), Long.parseLong(matcher.group(4))});
        }
        long[] none = new long[2];
        Map<String, ConnectionCounters> counters = new HashMap<>();
        ids.forEach((connection, id) -> {
            long[] to = read.getOrDefault(id + ConnectionTable.TO, none);
            long[] back = read.getOrDefault(id + ConnectionTable.BACK, none);
            counters.put(connection, new ConnectionCounters(read.getOrDefault(id + ConnectionTable.CONNECTIONS, none)[0], to[0], to[1],
                    back[0], back[1]));
        });
        return counters;
    }

    /** Deletes the table, if closing the kernel has not. Connections may be put again afterwards. */
    @Override
    public synchronized void close() {
        if (made) {
            if (!kernel.isClosed()) {
                kernel.nft(table.delete());
            }
            made = false;
            ids.clear();
            chains = List.of();
        }
    }

    /** The table of a node that was killed is gone: what is there belongs to a node that runs, or was made by another tool. */
    private void refuseStranger() {
        if (kernel.nft("list tables inet").lines().anyMatch(line -> line.strip().equals("table inet " + name))) {
            throw new AnepException(ErrorCode.KERNEL, "there is a table inet " + name + " of nftables that this node has not made: another node "
                    + "with this port runs, or it is left over (nft delete table inet " + name + ")");
        }
    }

    private static void check(List<LightConnection> connections) {
        Set<String> names = new HashSet<>();
        for (LightConnection each : connections) {
            if (!names.add(each.name())) {
                throw bad(each, "stands twice");
            }
            checkEnd(each, each.listen());
            checkEnd(each, each.to());
            boolean wildcard = each.listen().getAddress().isAnyLocalAddress();
            if (each.to().getAddress().isAnyLocalAddress() || each.to().getAddress().isLinkLocalAddress()) {
                throw bad(each, "cannot lead to " + each.to());
            }
            if (!wildcard && octets(each.listen()) != octets(each.to())) {
                throw bad(each, "leads from " + each.listen() + " to " + each.to() + ", which is another family of addresses");
            }
            Prefix source = each.source();
            if (source != null && source.network().getAddress().length != octets(each.to())) {
                throw bad(each, "is for " + source + " and leads to " + each.to() + ", which is another family of addresses");
            }
            if (each.dscp() != null && (each.dscp() < 0 || each.dscp() > 63)) {
                throw bad(each, "has the code point " + each.dscp() + ", not from 0 to 63");
            }
        }
    }

    private static void checkEnd(LightConnection connection, InetSocketAddress end) {
        if (end.isUnresolved() || end.getPort() == 0) {
            throw bad(connection, "has '" + end + "', which is no address and port");
        }
    }

    private static int octets(InetSocketAddress address) {
        return address.getAddress().getAddress().length;
    }

    private static AnepException bad(LightConnection connection, String problem) {
        return new AnepException(ErrorCode.BAD_RULE, "light connection " + connection.name() + " " + problem);
    }

    /**
     * TCP connections that the kernel forwards.
     *
     * @param name   unique among those of its node; counters go by it
     * @param source who may use it: the prefix of the client's address; null for anybody
     * @param listen the address and port of this host that clients connect to; the wildcard address stands for every address of this host of the
     *               family of {@code to}
     * @param to     where they are led; of the same family as {@code listen}
     * @param dscp   code point of every packet from the client, 0 to 63; null leaves it as it came
     */
    public record LightConnection(String name, Prefix source, InetSocketAddress listen, InetSocketAddress to, Integer dscp) {
    }

    /**
     * What a light connection has carried.
     *
     * @param connections that began
     * @param packets     from the client
     * @param octets      of these, as IP packets
     * @param backPackets to the client
     * @param backOctets  of these, as IP packets
     */
    public record ConnectionCounters(long connections, long packets, long octets, long backPackets, long backOctets) {
    }
}
