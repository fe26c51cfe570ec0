package org.tamanoir.lab;

import java.net.InetAddress;

/**
 * A local network: a switch of Ethernet inside a router, and a cable from it to each host that joins. The switch sends IP multicast to every
 * port, as one without IGMP snooping does.
 */
public final class Bridge {
    /** The router's interface on the first that it has. */
    public static final String NAME = "br0";
    /** The ends of hosts begin here, those of routers below. */
    private static final int FIRST_HOST = 10;
    private static final int MOST_HOSTS = 200;

    private final int number;
    private final Port port;
    private final LinkOptions options;
    private int joined;

    private Bridge(int number, Port port, LinkOptions options) {
        this.number = number;
        this.port = port;
        this.options = options;
    }

    static Bridge create(int number, Host router, LinkOptions options) {
        String name = router.bridgeName();
        // With an address of its own a bridge does not take that of a port that is added later.
        router.ip("link", "add", "name", name, "address", String.format("02:00:00:00:00:%02x", number), "type", "bridge",
                "mcast_snooping", "0", "forward_delay", "0", "stp_state", "0");
        Port port = new Port(router, name, number, 1);
        port.bringUp(options);
        return new Bridge(number, port, options);
    }

    /** The router's end: 10.0.N.1. */
    public Port port() {
        return port;
    }

    /** Joins a host to it. @return its end: 10.0.N.10 for the first, 10.0.N.11 for the second, … */
    public Port join(Host host) {
        if (joined == MOST_HOSTS) {
            throw new IllegalStateException("a bridge has at most " + MOST_HOSTS + " hosts");
        }
        Host router = port.host();
        Port end = new Port(host, host.portName(router), number, FIRST_HOST + joined++);
        String here = router.portName(host);
        Link.cable(router, here, host, end.name());
        Port.prepare(router, here, options);
        router.ip("link", "set", "dev", here, "master", port.name(), "up");
        end.bringUp(options);
        return end;
    }

    /**
     * Makes a place for a machine that is no host of the laboratory, see {@link Director}.
     *
     * @param end 2 to 9, the last part of its addresses, once on a bridge
     */
    Tap tap(int end) {
        if (end < 2 || end >= FIRST_HOST) {
            throw new IllegalArgumentException("end " + end + " of a tap: 2 to " + (FIRST_HOST - 1));
        }
        Host router = port.host();
        String name = "tap" + number + "-" + end;
        router.ip("tuntap", "add", "name", name, "mode", "tap", "vnet_hdr");
        Port.prepare(router, name, options);
        router.ip("link", "set", "dev", name, "master", port.name(), "up");
        return new Tap(name, String.format("02:00:00:01:%02x:%02x", number, end), ipv4(end), ipv6(end));
    }

    /** An address of its subnet. @param end its last part: 1 is the router's, hosts that {@link #join} begin at 10 */
    public InetAddress ipv4(int end) {
        return Port.ipv4(number, end);
    }

    /** The same of IPv6; the digits of the end are the same. */
    public InetAddress ipv6(int end) {
        return Port.ipv6(number, end);
    }

    /** {@code 10.0.N.0/24}. */
    public String ipv4Subnet() {
        return "10.0." + number + ".0/24";
    }

    /** {@code fd00:0:0:N::/64}. */
    public String ipv6Subnet() {
        return "fd00:0:0:" + Integer.toHexString(number) + "::/64";
    }
}
