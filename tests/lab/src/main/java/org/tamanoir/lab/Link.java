package org.tamanoir.lab;

import java.util.List;

/** A cable between two hosts: a veth pair with an IPv4 and an IPv6 subnet of its own. */
public final class Link {
    private final int number;
    private final Port first;
    private final Port second;

    private Link(int number, Port first, Port second) {
        this.number = number;
        this.first = first;
        this.second = second;
    }

    static Link create(int number, Host a, Host b, LinkOptions options) {
        Port first = new Port(a, a.portName(b), number, 1);
        Port second = new Port(b, b.portName(a), number, 2);
        Command.run(List.of("ip", "link", "add", "name", first.name(), "netns", a.namespace(), "type", "veth",
                "peer", "name", second.name(), "netns", b.namespace()));
        first.bringUp(options);
        second.bringUp(options);
        return new Link(number, first, second);
    }

    /** The end at the host that was named first. */
    public Port first() {
        return first;
    }

    /** The end at the host that was named second. */
    public Port second() {
        return second;
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
