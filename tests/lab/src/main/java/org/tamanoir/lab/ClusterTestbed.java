package org.tamanoir.lab;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.IntStream;
import org.tamanoir.lab.Bridge.Tap;

/**
 * The network of a cluster: a client, two places for directors, and back ends behind them.
 *
 * <pre>
 *                 outer: 10.0.1.0/24                inner: 10.0.2.0/24
 *
 *                      ┌── .2 director1 .2 ──┐
 *   client .10 ── br0 ─┼── .3 director2 .3 ──┼─ br1 ─┬─ .10 backend1
 *                      └── .1  router   .1 ──┘       ├─ .11 backend2
 *                                                    └─ …
 * </pre>
 *
 * <p>The same with IPv6, in fd00:0:0:1::/64 and fd00:0:0:2::/64. Both switches are in the router, which forwards between them: the way of answers past
 * the directors. The place of a director is empty until one {@link #boot boots}. Virtual addresses ({@link #virtual}) and the inner address by which
 * back ends reach a director that translates addresses ({@link #gateway}) are nobody's until somebody takes them.
 *
 * @param router   the host that holds the switches
 * @param client   the end of the client on the outer switch
 * @param backEnds the ends of back ends on the inner switch
 * @param taps     the places of each director on both switches, the outer one first
 */
public record ClusterTestbed(Lab lab, Host router, Bridge outer, Bridge inner, Port client, List<Port> backEnds, List<List<Tap>> taps)
        implements AutoCloseable {
    public static final int MAX_BACK_ENDS = 4;
    public static final int DIRECTORS = 2;
    /** Ends of addresses; hosts begin at 10 and are few. */
    private static final int FIRST_DIRECTOR = 2;
    private static final int GATEWAY = 9;
    private static final int VIRTUAL = 100;

    /**
     * The testbed without directors; back ends answer by way of the gateway.
     *
     * @param backEnds 1 to 4
     * @throws LabException if something is missing that cannot be installed; the message names the remedy
     */
    public static ClusterTestbed open(int backEnds) {
        if (backEnds < 1 || backEnds > MAX_BACK_ENDS) {
            throw new IllegalArgumentException("1 to " + MAX_BACK_ENDS + " back ends");
        }
        DebianPackages.require("linux.uml", "user-mode-linux");
        DebianPackages.require("modprobe", "kmod");
        DebianPackages.require("ipvsadm", "ipvsadm", "ipvsadm");
        DebianPackages.require("keepalived", "keepalived", "keepalived");
        return Lab.open(lab -> make(lab, backEnds));
    }

    private static ClusterTestbed make(Lab lab, int count) {
        Host router = lab.host("router");
        router.forwardWithoutRedirects();
        Bridge outer = lab.bridge(router, LinkOptions.DEFAULT);
        Bridge inner = lab.bridge(router, LinkOptions.DEFAULT);
        Port client = join(lab.host("client"), outer, inner);
        List<Port> backEnds = IntStream.rangeClosed(1, count).mapToObj(i -> inner.join(lab.host("backend" + i))).toList();
        List<List<Tap>> taps = IntStream.range(FIRST_DIRECTOR, FIRST_DIRECTOR + DIRECTORS).mapToObj(end -> List.of(outer.tap(end), inner.tap(end))).toList();
        ClusterTestbed testbed = new ClusterTestbed(lab, router, outer, inner, client, backEnds, taps);
        testbed.answerByGateway();
        return testbed;
    }

    /** Boots a director. Its interfaces are {@code vec0}, outer, and {@code vec1}, inner. @param number 1 or 2; whoever was there must be dead */
    public Director boot(int number) {
        return boot(number, Director.SMALL);
    }

    /** The same. @param megabytes of memory that it may use */
    public Director boot(int number, int megabytes) {
        return Director.boot(router, "director" + number, taps.get(number - 1), megabytes);
    }

    /** A further host on the outer switch, which reaches back ends by the router: a receiver of streams, another client. */
    public Port join(String name) {
        return join(lab.host(name), outer, inner);
    }

    private static Port join(Host host, Bridge outer, Bridge inner) {
        Port port = outer.join(host);
        host.route(inner, outer.port());
        return port;
    }

    /** A host on both switches, which forwards: a director that has the kernel of this machine. @return its ends, the outer one first */
    public List<Port> joinBoth(String name) {
        Host host = lab.host(name);
        host.forwardWithoutRedirects();
        return List.of(outer.join(host), inner.join(host));
    }

    /** Answers of back ends go by the gateway: what a director needs that translates addresses. */
    public void answerByGateway() {
        answerBy(gateway(), gateway6());
    }

    /** Answers of back ends go by the router, past the directors: direct routing and tunnels. */
    public void answerByRouter() {
        answerBy(inner.port().ipv4(), inner.port().ipv6());
    }

    private void answerBy(InetAddress ipv4, InetAddress ipv6) {
        for (Port port : backEnds) {
            port.host().route("default", ipv4);
            port.host().route("default", ipv6);
        }
    }

    /**
     * Gives a virtual address to every back end, as direct routing and tunnels ask: on lo, where nobody asks for it. With ARP a back end neither
     * answers for it nor says that it has it (arp_ignore and arp_announce of the kernel's ip-sysctl); the neighbour discovery of IPv6 is for the
     * interface alone that has the address.
     */
    public void putOnBackEnds(InetAddress virtual) {
        for (Port port : backEnds) {
            port.host().sysctl("net.ipv4.conf.all.arp_ignore", "1");
            port.host().sysctl("net.ipv4.conf.all.arp_announce", "2");
            // Without the word an IPv6 address is tentative for a moment on lo too, and nobody can bind it.
            String length = virtual.getAddress().length == 4 ? "/32" : "/128";
            port.host().ip("address", "add", virtual.getHostAddress() + length, "dev", "lo", "nodad");
        }
    }

    /** @param number from 1 */
    public Port backEnd(int number) {
        return backEnds.get(number - 1);
    }

    /** A virtual address on the outer switch. @param number from 1 */
    public InetAddress virtual(int number) {
        return outer.ipv4(VIRTUAL + number - 1);
    }

    /** The same of IPv6. */
    public InetAddress virtual6(int number) {
        return outer.ipv6(VIRTUAL + number - 1);
    }

    /** What back ends take for the way out with {@link #answerByGateway}: an inner address that is to be on the director that serves. */
    public InetAddress gateway() {
        return inner.ipv4(GATEWAY);
    }

    /** The same of IPv6. */
    public InetAddress gateway6() {
        return inner.ipv6(GATEWAY);
    }

    @Override
    public void close() {
        lab.close();
    }
}
