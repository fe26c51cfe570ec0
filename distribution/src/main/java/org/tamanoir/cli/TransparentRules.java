package org.tamanoir.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.identity.destination.DestinationRules;

/**
 * Has the kernel hand over what passes this machine on its way to some destinations: a table of nftables with TPROXY, and a rule and a route
 * by which marked packets come here. Its names follow the gateway's port, so that a gateway that was killed is tidied up after by the next one there.
 * While nobody listens, the kernel forwards what the rules name as it would without them.
 */
final class TransparentRules implements AutoCloseable {
    /** Beside those of the gateways of other ports, and unlikely to be somebody else's: "TG" and the port. */
    private static final int MARK = 0x5447_0000;

    private final String table;
    private final String mark;
    private final String routes;

    private TransparentRules(int port) {
        this.table = "inet tamanoir_gateway_" + port;
        this.mark = "0x%x".formatted(MARK | port);
        this.routes = Integer.toString(MARK | port);
    }

    /**
     * Sets them up, in the place of what an earlier gateway has left.
     *
     * @param port of 127.0.0.1, and of ::1 where a range is one of IPv6, on which the gateway listens
     * @throws AnepException EE-504 if nftables or iproute2 are missing or may not be used
     */
    static TransparentRules setUp(List<DestinationRules.Range> ranges, int port) {
        TransparentRules rules = new TransparentRules(port);
        rules.close();
        try {
            for (String family : ranges.stream().map(TransparentRules::family).distinct().toList()) {
                rules.run("ip", family, "rule", "add", "fwmark", rules.mark, "lookup", rules.routes);
                rules.run("ip", family, "route", "add", "local", "default", "dev", "lo", "table", rules.routes);
            }
            rules.run("nft", "add table %s; add chain %s prerouting { type filter hook prerouting priority mangle; }; %s".formatted(rules.table, rules.table,
                    ranges.stream().map(range -> rules.rule(range, port)).collect(Collectors.joining("; "))));
        } catch (AnepException e) {
            rules.close();
            throw e;
        }
        return rules;
    }

    private static String family(DestinationRules.Range range) {
        return range.isIp6() ? "-6" : "-4";
    }

    private String rule(DestinationRules.Range range, int port) {
        return "add rule %s prerouting %s tcp dport %d-%d tproxy %s:%d meta mark set %s accept".formatted(table, (range.isIp6() ? "ip6 daddr " : "ip daddr ") + range.prefix(),
                range.firstPort(), range.lastPort(), range.isIp6() ? "ip6 to [::1]" : "ip to 127.0.0.1", port, mark);
    }

    private void run(String... command) {
        String said = said(command);
        if (said != null) {
            throw new AnepException(ErrorCode.MISSING_TOOL, "a transparent gateway needs nftables and iproute2, and the right to set them up (CAP_NET_ADMIN); " + command[0] + " says: " + said);
        }
    }

    /** What a command says that fails; null if it does not. */
    private static String said(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.waitFor() == 0 ? null : said;
        } catch (IOException e) {
            return AnepException.reason(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** Takes them back; what is not there is no failure. */
    @Override
    public void close() {
        said("nft", "delete table " + table);
        for (String family : List.of("-4", "-6")) {
            said("ip", family, "route", "flush", "table", routes);
            said("ip", family, "rule", "del", "fwmark", mark, "lookup", routes);
        }
    }
}
