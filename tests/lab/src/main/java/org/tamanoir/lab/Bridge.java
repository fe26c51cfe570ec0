package org.tamanoir.lab;

import java.net.InetAddress;

/**
 * A local network: a switch of Ethernet inside a router, and a cable from it to each host that joins. The switch sends IP multicast to every
 * port, as one without IGMP snooping does. The router has the first address, hosts that {@link #join} those from 10.
 */
public final class Bridge implements Subnet {
    /** The router's interface on the first that it has. */
    public static final String NAME = "br0";
    /** The ends of hosts begin here, those of routers below. */
    private static final int FIRST_HOST = 10;
    private static final int MOST_HOSTS = 200;

    /**
     * The place of a {@link Director}: a tap of the router, and what the director has at its end.
     *
     * @param name of the tap, in the router
     * @param mac  Ethernet address of the director's end, the same after a restart: nobody keeps a stale one
     * @param ipv4 of the director's end, /24
     * @param ipv6 of the director's end, /64
     */
    public record Tap(String name, String mac, InetAddress ipv4, InetAddress ipv6) {
    }

    private final int number;
    private final Port port;
    private final LinkOptions options;
    private int joined;

    Bridge(int number, Host router, LinkOptions options) {
        this.number = number;
        this.options = options;
        String name = router.bridgeName();
        // With an address of its own a bridge does not take that of a port that is added later.
        router.ip("link", "add", "name", name, "address", String.format("02:00:00:00:00:%02x", number), "type", "bridge",
                "mcast_snooping", "0", "forward_delay", "0", "stp_state", "0");
        port = Port.of(router, name, this, 1);
        port.bringUp(options);
    }

    @Override
    public int number() {
        return number;
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
        Port end = Port.of(host, host.portName(router), this, FIRST_HOST + joined++);
        String here = router.portName(host);
        Link.cable(router, here, host, end.name());
        plug(here);
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
        String name = "tap" + number + "-" + end;
        port.host().ip("tuntap", "add", "name", name, "mode", "tap", "vnet_hdr");
        plug(name);
        return new Tap(name, String.format("02:00:00:01:%02x:%02x", number, end), ipv4(end), ipv6(end));
    }

    private void plug(String name) {
        Port.prepare(port.host(), name, options);
        port.host().ip("link", "set", "dev", name, "master", port.name(), "up");
    }
}
