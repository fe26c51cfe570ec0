package org.tamanoir.lab;

/**
 * Random loss at a port, by a random number for every packet that arrives (nftables, {@code numgen}), before anything else on the host sees
 * it. Works where the kernel has no netem. A packet that the sender's kernel handed on as an aggregate is lost as a whole: for TCP make the
 * link with {@link LinkOptions#segments(boolean)}.
 */
public final class Loss {
    private static final int PARTS = 10_000;
    /** Before connection tracking and before every {@link PacketCounter}. */
    private static final int PRIORITY = -300;

    private final Host host;
    private final String table;

    private Loss(Host host, String table) {
        this.host = host;
        this.table = table;
    }

    /** @param part 0 to 1, in steps of a ten-thousandth */
    static Loss on(Port port, double part) {
        if (!(part >= 0 && part <= 1)) {
            throw new IllegalArgumentException("a loss of " + part + ": give 0 to 1");
        }
        Loss loss = new Loss(port.host(), "loss_" + port.name().replace('-', '_'));
        port.host().nft("""
                table inet %1$s {
                  counter lost {
                  }
                  chain arriving {
                    type filter hook prerouting priority %2$d; policy accept;
                    iifname "%3$s" numgen random mod %4$d < %5$d counter name lost drop
                  }
                }
                """.formatted(loss.table, PRIORITY, port.name(), PARTS, Math.round(part * PARTS)));
        return loss;
    }

    /** What was lost so far. */
    public PacketCounter.Count lost() {
        return PacketCounter.read(host, table, "lost");
    }

    /** Ends the loss, and its counter. */
    public void end() {
        host.nft("delete table inet " + table);
    }
}
