package org.tamanoir.lab;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts what arrives at a host and matches a rule of nftables ({@code tcp dport 3322}), after {@link Loss} or before it.
 *
 * @param table of inet, in which the counter is
 */
public record PacketCounter(Host host, String table, String counter) {
    private static final Pattern VALUES = Pattern.compile("packets (\\d+) bytes (\\d+)");
    static final int AFTER_LOSS = -290;
    static final int BEFORE_LOSS = -310;

    /** What was counted: IP packets, and their octets without the Ethernet header. */
    public record Count(long packets, long bytes) {
        /** What was counted since. */
        public Count minus(Count earlier) {
            return new Count(packets - earlier.packets, bytes - earlier.bytes);
        }
    }

    /** @param number of the host's counters @param priority {@link #AFTER_LOSS} or {@link #BEFORE_LOSS} */
    static PacketCounter on(Host host, int number, String match, int priority) {
        PacketCounter counter = new PacketCounter(host, "counter_" + number, "seen");
        host.nft("""
                table inet %1$s {
                  counter seen {
                  }
                  chain arriving {
                    type filter hook prerouting priority %2$d; policy accept;
                    %3$s counter name seen
                  }
                }
                """.formatted(counter.table, priority, match));
        return counter;
    }

    public Count count() {
        String text = host.run("nft", "list", "counter", "inet", table, counter).output();
        Matcher values = VALUES.matcher(text);
        if (!values.find()) {
            throw new LabException("no counter in what nft printed: " + text);
        }
        return new Count(Long.parseLong(values.group(1)), Long.parseLong(values.group(2)));
    }
}
