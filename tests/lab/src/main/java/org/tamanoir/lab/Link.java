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
        cable(a, first.name(), b, second.name());
        first.bringUp(options);
        second.bringUp(options);
        return new Link(number, first, second);
    }

    /** A link in two pieces, which meet in a box between them that has no addresses. Whatever runs there carries frames from one to the other. */
    static Link create(int number, Host a, DelayBox box, Host b, LinkOptions options) {
        Port first = new Port(a, a.portName(b), number, 1);
        Port second = new Port(b, b.portName(a), number, 2);
        String left = "left" + number;
        String right = "right" + number;
        cable(a, first.name(), box.host(), left);
        cable(box.host(), right, b, second.name());
        box.add(left, right, options);
        first.bringUp(options);
        second.bringUp(options);
        // While a host asks for the address of another it keeps a hundred packets: on a long and fast way it would lose some.
        first.knows(second);
        second.knows(first);
        return new Link(number, first, second);
    }

    /** A veth pair between two hosts, both ends down. */
    static void cable(Host a, String nameAtA, Host b, String nameAtB) {
        Command.run(List.of("ip", "link", "add", "name", nameAtA, "netns", a.namespace(), "type", "veth",
                "peer", "name", nameAtB, "netns", b.namespace()));
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
