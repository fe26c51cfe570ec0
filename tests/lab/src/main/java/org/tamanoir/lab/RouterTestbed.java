package org.tamanoir.lab;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Senders and receivers on both sides of a router with a kernel of its own, for queues that the kernel of this machine may lack.
 *
 * <pre>
 *   sender1   10.0.1.10 ─┐                                            ┌─ 10.0.2.10 receiver1
 *   sender2   10.0.1.11 ─┼─ switch ─ .2 vec0 router vec1 .2 ─ switch ─┼─ 10.0.2.11 receiver2
 *   …                    ┘        10.0.1.0/24      10.0.2.0/24        └─ …
 * </pre>
 *
 * <p>What receivers get leaves by {@value #TO_RECEIVERS}, what comes back by {@value #TO_SENDERS}. Both have the kernel's own queues until somebody sets up others
 * ({@link Director#run}).
 *
 * @param senders   their ends
 * @param receivers their ends
 */
public record RouterTestbed(Lab lab, List<Port> senders, List<Port> receivers, Director router) implements AutoCloseable {
    public static final String TO_RECEIVERS = "vec1";
    public static final String TO_SENDERS = "vec0";
    private static final int PLACE = 2;
    private static final int MOST_HOSTS = 16;
    private static final LinkOptions CABLE = LinkOptions.DEFAULT.segments(true).offloads(false);

    /**
     * The testbed, with 1 to 16 hosts on either side, its router booted.
     *
     * @throws LabException if something is missing that cannot be installed; the message names the remedy
     */
    public static RouterTestbed open(int senders, int receivers) {
        if (Math.min(senders, receivers) < 1 || Math.max(senders, receivers) > MOST_HOSTS) {
            throw new IllegalArgumentException("1 to " + MOST_HOSTS + " hosts on either side");
        }
        DebianPackages.require("linux.uml", "user-mode-linux");
        DebianPackages.require("modprobe", "kmod");
        DebianPackages.require("ethtool", "ethtool");
        return Lab.open(lab -> make(lab, senders, receivers));
    }

    private static RouterTestbed make(Lab lab, int senders, int receivers) {
        Host switches = lab.host("switches");
        Bridge left = lab.bridge(switches, CABLE);
        Bridge right = lab.bridge(switches, CABLE);
        List<Bridge.Tap> taps = List.of(left.tap(PLACE), right.tap(PLACE));
        List<Port> from = IntStream.rangeClosed(1, senders).mapToObj(i -> left.join(lab.host("sender" + i))).toList();
        List<Port> to = IntStream.rangeClosed(1, receivers).mapToObj(i -> right.join(lab.host("receiver" + i))).toList();
        from.forEach(port -> byRouter(port.host(), taps.get(0)));
        to.forEach(port -> byRouter(port.host(), taps.get(1)));
        return new RouterTestbed(lab, from, to, Director.boot(switches, "router", taps, Director.SMALL));
    }

    private static void byRouter(Host host, Bridge.Tap router) {
        host.route("default", router.ipv4());
        host.route("default", router.ipv6());
    }

    /** @param number from 1 */
    public Port sender(int number) {
        return senders.get(number - 1);
    }

    /** @param number from 1 */
    public Port receiver(int number) {
        return receivers.get(number - 1);
    }

    @Override
    public void close() {
        lab.close();
    }
}
