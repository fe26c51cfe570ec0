package org.tamanoir.lab;

import java.util.ArrayList;
import java.util.List;

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
 */
public final class QosTestbed implements AutoCloseable {
    private static final LinkOptions CABLE = LinkOptions.DEFAULT.segments(true).offloads(false);
    private static final int MOST_HOSTS = 32;

    private final Lab lab;
    private final Host ingress;
    private final Host egress;
    private final Link bottleneck;
    private final List<Link> access = new ArrayList<>();
    private final List<Link> delivery = new ArrayList<>();

    private QosTestbed(Lab lab, int senders, int receivers) {
        this.lab = lab;
        ingress = lab.host("ingress");
        egress = lab.host("egress");
        bottleneck = lab.link(ingress, egress, CABLE);
        for (int i = 1; i <= senders; i++) {
            access.add(lab.link(lab.host("sender" + i), ingress, CABLE));
        }
        for (int i = 1; i <= receivers; i++) {
            delivery.add(lab.link(egress, lab.host("receiver" + i), CABLE));
        }
        ingress.forward(true);
        egress.forward(true);
        access.forEach(link -> {
            defaultRoute(link.first(), link.second());
            route(link, egress, bottleneck.first());
        });
        delivery.forEach(link -> {
            defaultRoute(link.second(), link.first());
            route(link, ingress, bottleneck.second());
        });
    }

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
        Lab lab = Lab.open();
        try {
            return new QosTestbed(lab, senders, receivers);
        } catch (RuntimeException e) {
            lab.close();
            throw e;
        }
    }

    private static void defaultRoute(Port of, Port via) {
        of.host().route("default", via.ipv4());
        of.host().route("default", via.ipv6());
    }

    private static void route(Link to, Host from, Port via) {
        from.route(to.ipv4Subnet(), via.ipv4());
        from.route(to.ipv6Subnet(), via.ipv6());
    }

    /** The router that the senders are at. */
    public Host ingress() {
        return ingress;
    }

    /** The router that the receivers are at. */
    public Host egress() {
        return egress;
    }

    /** First end: ingress router; second: egress router. */
    public Link bottleneck() {
        return bottleneck;
    }

    /** @param number from 1 */
    public Host sender(int number) {
        return access(number).first().host();
    }

    /** First end: sender; second: ingress router. @param number from 1 */
    public Link access(int number) {
        return access.get(number - 1);
    }

    /** @param number from 1 */
    public Host receiver(int number) {
        return delivery(number).second().host();
    }

    /** First end: egress router; second: receiver. @param number from 1 */
    public Link delivery(int number) {
        return delivery.get(number - 1);
    }

    @Override
    public void close() {
        lab.close();
    }
}
