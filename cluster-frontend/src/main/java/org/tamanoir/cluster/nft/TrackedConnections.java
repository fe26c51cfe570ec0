package org.tamanoir.cluster.nft;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.tamanoir.cluster.plan.Transport;

/**
 * How many connections of virtual services the kernel tracks, by where they lead: made of the lines of {@code conntrack -L}. It holds counts and no
 * connections, and at most {@link #MOST} of them. No I/O.
 */
final class TrackedConnections {
    /** Of pairs of a service and a place. More there are only if others translate the same addresses. */
    static final int MOST = 10_000;

    private static final Pattern PORT = Pattern.compile("\\d{1,5}");

    /**
     * A virtual service and where connections to it lead.
     *
     * @param address of the service, in the text of {@link #text}
     * @param to      the source of answers, before it is translated back; the service's own address if nothing was translated
     */
    record Key(Transport transport, String address, int port, String to, int toPort) {
    }

    /**
     * How many.
     *
     * @param active   established; UDP: seen in both directions
     * @param opening  TCP: not answered yet
     * @param inactive the others
     */
    record Count(long active, long opening, long inactive) {
        static final Count NONE = new Count(0, 0, 0);
    }

    private final Map<Key, Count> counts = new HashMap<>();
    private final Set<String> services;

    /** @param services to look at, by {@link #service} */
    TrackedConnections(Set<String> services) {
        this.services = services;
    }

    /** A virtual service as {@link TrackedConnections} finds it. */
    static String service(Transport transport, InetAddress address, int port) {
        return transport + " " + text(address) + " " + port;
    }

    /** One form for each address: conntrack(8) shortens IPv6 and Java does not. */
    static String text(InetAddress address) {
        return RuleNames.text(address);
    }

    Map<Key, Count> counts() {
        return Collections.unmodifiableMap(counts);
    }

    /**
     * Takes a line, such as {@code tcp 6 431999 ESTABLISHED src=… dst=… sport=… dport=… src=… dst=… sport=… dport=… [ASSURED] mark=0 use=1}: first
     * the way there, then the way back. Other lines are passed over.
     */
    void add(String line) {
        String[] words = line.trim().split("\\s+");
        if (words.length < 8 || !words[0].equals("tcp") && !words[0].equals("udp")) {
            return;
        }
        Transport transport = words[0].equals("tcp") ? Transport.TCP : Transport.UDP;
        String daddr = value(words, "dst=", 1);
        String dport = value(words, "dport=", 1);
        String to = value(words, "src=", 2);
        String toPort = value(words, "sport=", 2);
        if (daddr == null || dport == null || to == null || toPort == null || !services.contains(transport + " " + plain(daddr) + " " + dport)) {
            return;
        }
        if (!PORT.matcher(toPort).matches()) {
            return;
        }
        Key key = new Key(transport, plain(daddr), Integer.parseInt(dport), plain(to), Integer.parseInt(toPort));
        if (counts.size() < MOST || counts.containsKey(key)) {
            counts.merge(key, one(transport, words[3], line), (a, b) -> new Count(a.active + b.active, a.opening + b.opening, a.inactive + b.inactive));
        }
    }

    private static Count one(Transport transport, String state, String line) {
        if (transport == Transport.UDP) {
            return line.contains("[UNREPLIED]") ? new Count(0, 0, 1) : new Count(1, 0, 0);
        }
        return switch (state) {
            case "ESTABLISHED" -> new Count(1, 0, 0);
            case "SYN_SENT", "SYN_SENT2", "SYN_RECV" -> new Count(0, 1, 0);
            default -> new Count(0, 0, 1);
        };
    }

    private static String value(String[] words, String name, int occurrence) {
        int seen = 0;
        for (String word : words) {
            if (word.startsWith(name) && ++seen == occurrence) {
                return word.substring(name.length());
            }
        }
        return null;
    }

    /** As Java writes it; a literal is never resolved. */
    private static String plain(String literal) {
        if (literal.indexOf(':') < 0) {
            return literal;
        }
        try {
            return text(InetAddress.getByName(literal));
        } catch (UnknownHostException e) {
            return literal;
        }
    }
}
