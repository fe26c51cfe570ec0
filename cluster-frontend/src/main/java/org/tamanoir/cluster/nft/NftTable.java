package org.tamanoir.cluster.nft;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.kernel.Nftables;

/** The table in the kernel: made with the first rules, gone with the socket. For one thread. */
final class NftTable implements AutoCloseable {
    private static final Pattern COUNTER = Pattern.compile("counter (\\S+) \\{\\s*packets (\\d+) bytes (\\d+)");

    /** What a counter has seen; octets are those of IP packets. */
    record Seen(long packets, long octets) {
        static final Seen NOTHING = new Seen(0, 0);
    }

    private final Nftables nft;
    private TableContent now = TableContent.NONE;
    private boolean made;

    NftTable(Nftables nft) {
        this.nft = nft;
    }

    /** @throws AnepException EE-906 if there is a table of this name: that of a front-end that was killed is gone, so it is somebody else's */
    static void refuseStranger(Nftables nft) {
        if (isThere(nft)) {
            throw new AnepException(ErrorCode.CLUSTER_FOREIGN, "there is a table " + TableContent.TABLE + " of nftables that this front-end has not made: another one "
                    + "runs here, or somebody has made it by hand (nft delete table " + TableContent.TABLE + ")");
        }
    }

    private static boolean isThere(Nftables nft) {
        return nft.run("list tables inet").lines().anyMatch(line -> line.strip().equals("table " + TableContent.TABLE));
    }

    /**
     * Puts rules in place of those before, in one transaction: a packet meets either all of the old ones or all of the new.
     *
     * @throws AnepException EE-906 if the table is somebody else's, EE-907 if nftables refuses; what was there stays
     */
    void put(TableContent rules) {
        if (!made) {
            refuseStranger(nft);
        }
        String text = made ? rules.since(now) : TableContent.create() + rules.since(TableContent.NONE);
        if (!text.isEmpty()) {
            run(text);
        }
        made = true;
        now = rules;
    }

    /** What the counters have seen, by name; empty while there is no table. A table that is gone is made anew by the next {@link #put}. */
    Map<String, Seen> counters() {
        Map<String, Seen> counters = new HashMap<>();
        if (!made) {
            return counters;
        }
        try {
            Matcher matcher = COUNTER.matcher(run("list counters table " + TableContent.TABLE));
            while (matcher.find()) {
                counters.put(matcher.group(1), new Seen(Long.parseLong(matcher.group(2)), Long.parseLong(matcher.group(3))));
            }
            return counters;
        } catch (AnepException e) {
            if (!isThere(nft)) {
                made = false;
                now = TableContent.NONE;
            }
            throw e;
        }
    }

    /** Rules of others that translate virtual addresses. */
    List<String> foreign(List<InetAddress> virtual) {
        return Foreign.translations(run("list ruleset"), virtual);
    }

    private String run(String commands) {
        try {
            return nft.run(commands);
        } catch (AnepException e) {
            throw new AnepException(ErrorCode.DIRECTOR_REFUSED, e.text(), e);
        }
    }

    /** Closes the socket, and with it goes the table. */
    @Override
    public void close() {
        nft.close();
    }

    /** Rules of others that translate a virtual address too, found in what {@code nft list ruleset} prints. They are told of and not touched. No I/O. */
    static final class Foreign {
        private static final Pattern TABLE = Pattern.compile("^table (\\S+ \\S+) \\{.*");
        private static final Pattern TRANSLATES = Pattern.compile(".*\\b(dnat|redirect|tproxy)\\b.*");
        private static final int MOST = 3;
        private static final int LONGEST = 160;

        private Foreign() {
        }

        /** What each says, with its table in front: at most three of them. */
        static List<String> translations(String ruleset, Collection<InetAddress> virtual) {
            if (virtual.isEmpty()) {
                return List.of();
            }
            Pattern address = Pattern.compile(virtual.stream().flatMap(each -> Foreign.forms(each).stream()).map(Pattern::quote)
                    .collect(Collectors.joining("|", "(?<![0-9a-f.:])(", ")(?![0-9a-f:]|\\.[0-9])")));
            List<String> found = new ArrayList<>();
            String table = "";
            for (String line : (Iterable<String>) ruleset.lines()::iterator) {
                var head = TABLE.matcher(line);
                if (head.matches()) {
                    table = head.group(1);
                } else if (!table.equals(TableContent.TABLE) && TRANSLATES.matcher(line).matches() && address.matcher(line).find() && found.size() < MOST) {
                    String rule = line.strip();
                    found.add("table " + table + ": " + (rule.length() > LONGEST ? rule.substring(0, LONGEST) + "…" : rule));
                }
            }
            return found;
        }

        /** An IPv6 address as Java writes it and as inet_ntop(3) does, which nft(8) uses: the longest run of zeros shortened (RFC 5952). */
        private static List<String> forms(InetAddress address) {
            String text = RuleNames.text(address);
            if (text.indexOf(':') < 0) {
                return List.of(text);
            }
            String best = "";
            var runs = Pattern.compile("(?:^|:)0(?::0)+(?=:|$)").matcher(text);
            while (runs.find()) {
                best = runs.group().length() - (runs.group().startsWith(":") ? 1 : 0) > best.length() - (best.startsWith(":") ? 1 : 0) ? runs.group() : best;
            }
            if (best.isEmpty()) {
                return List.of(text);
            }
            int at = text.indexOf(best);
            String tail = text.substring(at + best.length());
            return List.of(text, text.substring(0, at) + "::" + (tail.startsWith(":") ? tail.substring(1) : tail));
        }
    }
}
