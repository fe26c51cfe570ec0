package org.tamanoir.lab;

/**
 * Loss at a port: by chance, by a random number for every packet that arrives (nftables, {@code numgen}), or of packets that are named, before anything else on
 * the host sees them. Works where the kernel has no netem. A packet that the sender's kernel handed on as an aggregate is lost as a whole: for TCP make the
 * link with {@link LinkOptions#segments(boolean)}.
 */
public final class Loss {
    private static final String CHAIN = "arriving";
    private static final int PARTS = 10_000;
    /** Octets of an IP packet that carries data, and not acknowledgements alone. */
    private static final int FULL = 1_000;
    /** Before connection tracking and before every {@link PacketCounter}. */
    private static final int PRIORITY = -300;

    private final Port port;
    private final String table;

    /** @param part 0 to 1, in steps of a ten-thousandth */
    Loss(Port port, double part) {
        this.port = port;
        table = "loss_" + port.name().replace('-', '_');
        port.host().nft("""
                table inet %1$s {
                  counter lost {
                  }
                  chain %2$s {
                    type filter hook prerouting priority %3$d; policy accept;
                    %4$s
                  }
                }
                """.formatted(table, CHAIN, PRIORITY, rule(part)));
    }

    /** Loses another part from now on; what was lost is counted on. @param part 0 to 1, in steps of a ten-thousandth */
    public void change(double part) {
        String rule = rule(part);
        port.host().nft("flush chain inet %1$s %2$s%n%3$s".formatted(table, CHAIN,
                rule.isEmpty() ? "" : "add rule inet " + table + " " + CHAIN + " " + rule));
    }

    /** Loses every so many-th packet from now on, counted exactly; what was lost is counted on. @param packets 2 and up */
    public void changeToEvery(int packets) {
        if (packets < 2) {
            throw new IllegalArgumentException("every " + packets + "th packet: give 2 and up");
        }
        set("iifname \"%s\" numgen inc mod %d 0 counter name lost drop".formatted(port.name(), packets));
    }

    /** Loses the next full segment of one TCP flow, and nothing else from now on. @param sourcePort of the flow */
    public void changeToOne(int sourcePort) {
        set("iifname \"%s\" tcp sport %d meta length > %d limit rate 1/day burst 1 packets counter name lost drop".formatted(port.name(), sourcePort, FULL));
    }

    private void set(String rule) {
        port.host().nft("flush chain inet %1$s %2$s%nadd rule inet %1$s %2$s %3$s".formatted(table, CHAIN, rule));
    }

    /** No rule at all where nothing is to be lost. */
    private String rule(double part) {
        if (!(part >= 0 && part <= 1)) {
            throw new IllegalArgumentException("a loss of " + part + ": give 0 to 1");
        }
        long parts = Math.round(part * PARTS);
        return parts == 0 ? "" : "iifname \"%s\" numgen random mod %d < %d counter name lost drop".formatted(port.name(), PARTS, parts);
    }

    /** What was lost so far. */
    public PacketCounter.Count lost() {
        return new PacketCounter(port.host(), table, "lost").count();
    }

    /** Ends the loss, and its counter. */
    public void end() {
        port.host().nft("delete table inet " + table);
    }
}
