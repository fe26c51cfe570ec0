package org.tamanoir.lab;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The network of the papers' experiments with classes of service: senders and receivers at two sites, a router at the edge of each, and a bottleneck
 * between the routers.
 *
 * <pre>
 *   sender1 ── access ──╮                                ╭── delivery ── receiver1
 *    10.0.2.1  10.0.2.2 ingress ── bottleneck ── egress 10.0.S.1    10.0.S.2
 *   sender2 ────────────╯ 10.0.1.1        10.0.1.2       ╰────────────── receiver2
 * </pre>
 *
 * <p>The bottleneck is the first link; the links of the senders follow in their order, then those of the receivers. Both routers forward, so that
 * whatever a sender sends reaches the receivers without any active node; a node that runs on a router is at the address of its end of the
 * bottleneck, or of the link to the host that uses it. There are no offloads (ethtool): each packet stands on each link by itself, as on a cable, so that
 * queues count what they would count there. Nothing limits a link until somebody sets up queues at {@code bottleneck().first()}, or at
 * {@code bottleneck().second()} for the other direction.
 *
 * @param ingress    the router that the senders are at
 * @param egress     the router that the receivers are at
 * @param bottleneck first end: ingress router; second: egress router
 * @param access     first ends: senders; second: ingress router
 * @param delivery   first ends: egress router; second: receivers
 */
public record QosTestbed(Lab lab, Host ingress, Host egress, Link bottleneck, List<Link> access, List<Link> delivery) implements AutoCloseable {
    private static final LinkOptions CABLE = LinkOptions.DEFAULT.segments(true).offloads(false);
    private static final int MOST_HOSTS = 32;

    /**
     * The testbed, with 1 to 32 hosts on either side.
     *
     * @throws LabException if something is missing that cannot be installed (ethtool); the message names the remedy
     */
    public static QosTestbed open(int senders, int receivers) {
        if (Math.min(senders, receivers) < 1 || Math.max(senders, receivers) > MOST_HOSTS) {
            throw new IllegalArgumentException("1 to " + MOST_HOSTS + " hosts on either side");
        }
        DebianPackages.require("ethtool", "ethtool");
        return Lab.open(lab -> make(lab, senders, receivers));
    }

    private static QosTestbed make(Lab lab, int senders, int receivers) {
        Host ingress = lab.host("ingress");
        Host egress = lab.host("egress");
        Link bottleneck = lab.link(ingress, egress, CABLE);
        List<Link> access = IntStream.rangeClosed(1, senders).mapToObj(i -> lab.link(lab.host("sender" + i), ingress, CABLE)).toList();
        List<Link> delivery = IntStream.rangeClosed(1, receivers).mapToObj(i -> lab.link(egress, lab.host("receiver" + i), CABLE)).toList();
        ingress.forward(true);
        egress.forward(true);
        access.forEach(link -> {
            link.first().host().routeAll(link.second());
            egress.route(link, bottleneck.first());
        });
        delivery.forEach(link -> {
            link.second().host().routeAll(link.first());
            ingress.route(link, bottleneck.second());
        });
        return new QosTestbed(lab, ingress, egress, bottleneck, access, delivery);
    }

    /** @param number from 1 */
    public Host sender(int number) {
        return access(number).first().host();
    }

    /** @param number from 1 */
    public Link access(int number) {
        return access.get(number - 1);
    }

    /** @param number from 1 */
    public Host receiver(int number) {
        return delivery(number).second().host();
    }

    /** @param number from 1 */
    public Link delivery(int number) {
        return delivery.get(number - 1);
    }

    @Override
    public void close() {
        lab.close();
    }
}
