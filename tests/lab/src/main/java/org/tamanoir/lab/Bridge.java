package org.tamanoir.lab;

/**
 * A local network: a switch of Ethernet inside a router, and a cable from it to each host that joins. The switch sends IP multicast to every
 * port, as one without IGMP snooping does.
 */
public final class Bridge {
    /** The router's interface on it. */
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
        // With an address of its own a bridge does not take that of a port that is added later.
        router.ip("link", "add", "name", NAME, "address", String.format("02:00:00:00:00:%02x", number), "type", "bridge",
                "mcast_snooping", "0", "forward_delay", "0", "stp_state", "0");
        Port port = new Port(router, NAME, number, 1);
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
        router.ip("link", "set", "dev", here, "master", NAME, "up");
        end.bringUp(options);
        return end;
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
