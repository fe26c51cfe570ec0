package org.tamanoir.lab;

import java.net.InetAddress;
import java.util.List;

/**
 * One end of a link: an interface of a host, with its addresses, its statistics, and the loss of what arrives.
 *
 * @param name of the interface inside its host: {@code to-PEER}
 */
public record Port(Host host, String name, InetAddress ipv4, InetAddress ipv6) {
    private static final List<String> STATISTICS = List.of("rx_packets", "rx_bytes", "rx_dropped", "tx_packets", "tx_bytes", "tx_dropped");

    /** The kernel's own statistics of an interface since it was made; bytes include the Ethernet header. An aggregate counts as one packet. */
    public record Statistics(long rxPackets, long rxBytes, long rxDropped, long txPackets, long txBytes, long txDropped) {
    }

    static Port of(Host host, String name, Subnet subnet, int end) {
        return new Port(host, name, subnet.ipv4(end), subnet.ipv6(end));
    }

    void bringUp(LinkOptions options) {
        prepare(host, name, options);
        host.ip("address", "add", ipv4.getHostAddress() + "/24", "dev", name);
        host.ip("-6", "address", "add", ipv6.getHostAddress() + "/64", "dev", name);
        host.ip("link", "set", "dev", name, "up");
        if (options.rate() != null) {
            // The burst holds two aggregates of 64 KB: tbf drops what is larger than its bucket.
            host.run("tc", "qdisc", "add", "dev", name, "root", "tbf", "rate", options.rate(), "burst", "128kb", "latency", "50ms");
        }
    }

    /** Makes an interface what a link is to be; it has no addresses yet and is still down. */
    static void prepare(Host host, String name, LinkOptions options) {
        host.ip("link", "set", "dev", name, "mtu", Integer.toString(options.mtu()));
        if (options.segments()) {
            host.ip("link", "set", "dev", name, "gso_max_segs", "1");
        }
        if (!options.offloads()) {
            host.run("ethtool", "-K", name, "gso", "off", "tso", "off", "gro", "off", "tx", "off");
        }
    }

    /** Tells this end the Ethernet address of another for good, so that it never asks. */
    void knows(Port other) {
        String address = other.host.run("cat", "/sys/class/net/" + other.name + "/address").output().strip();
        for (InetAddress each : List.of(other.ipv4, other.ipv6)) {
            host.ip("neighbour", "replace", each.getHostAddress(), "lladdr", address, "dev", name, "nud", "permanent");
        }
    }

    /** Counts UDP and TCP that arrives here, in whole IP packets, before {@link #lose} takes its part: what the link has carried. */
    public PacketCounter arriving() {
        return host.counter("iifname \"" + name + "\" meta l4proto { tcp, udp }", PacketCounter.BEFORE_LOSS);
    }

    /** Loses a part of what arrives here, each packet by chance. The packets lost are counted. See {@link Loss}. */
    public Loss lose(double part) {
        return new Loss(this, part);
    }

    public Statistics statistics() {
        List<String> files = STATISTICS.stream().map(which -> "/sys/class/net/" + name + "/statistics/" + which).toList();
        long[] values = Command.run(host.command(Command.append(List.of("cat"), files))).output().lines().mapToLong(Long::parseLong).toArray();
        return new Statistics(values[0], values[1], values[2], values[3], values[4], values[5]);
    }
}
