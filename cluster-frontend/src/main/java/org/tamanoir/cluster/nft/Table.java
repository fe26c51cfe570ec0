package org.tamanoir.cluster.nft;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.kernel.Nftables;

/** The table in the kernel: made with the first rules, gone with the socket. For one thread. */
final class Table implements AutoCloseable {
    private static final Pattern COUNTER = Pattern.compile("counter (\\S+) \\{\\s*packets (\\d+) bytes (\\d+)");

    /** What a counter has seen; octets are those of IP packets. */
    record Seen(long packets, long octets) {
        static final Seen NOTHING = new Seen(0, 0);
    }

    private final Nftables nft;
    private Rules now = Rules.NONE;
    private boolean made;

    Table(Nftables nft) {
        this.nft = nft;
    }

    /** @throws AnepException EE-906 if there is a table of this name: that of a front-end that was killed is gone, so it is somebody else's */
    static void refuseStranger(Nftables nft) {
        if (isThere(nft)) {
            throw new AnepException(ErrorCode.CLUSTER_FOREIGN, "there is a table " + Rules.TABLE + " of nftables that this front-end has not made: another one "
                    + "runs here, or somebody has made it by hand (nft delete table " + Rules.TABLE + ")");
        }
    }

    private static boolean isThere(Nftables nft) {
        return nft.run("list tables inet").lines().anyMatch(line -> line.strip().equals("table " + Rules.TABLE));
    }

    /**
     * Puts rules in place of those before, in one transaction: a packet meets either all of the old ones or all of the new.
     *
     * @throws AnepException EE-906 if the table is somebody else's, EE-907 if nftables refuses; what was there stays
     */
    void put(Rules rules) {
        if (!made) {
            refuseStranger(nft);
        }
        String text = made ? rules.since(now) : Rules.create() + rules.since(Rules.NONE);
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
            Matcher matcher = COUNTER.matcher(run("list counters table " + Rules.TABLE));
            while (matcher.find()) {
                counters.put(matcher.group(1), new Seen(Long.parseLong(matcher.group(2)), Long.parseLong(matcher.group(3))));
            }
            return counters;
        } catch (AnepException e) {
            if (!isThere(nft)) {
                made = false;
                now = Rules.NONE;
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
}
