package org.tamanoir.lab;

import java.util.List;

/** A cable between two hosts: a veth pair with an IPv4 and an IPv6 subnet of its own. */
public final class Link extends Subnet {
    private final Port first;
    private final Port second;

    private Link(int number, Host a, Host b) {
        super(number);
        first = new Port(a, a.portName(b), this, 1);
        second = new Port(b, b.portName(a), this, 2);
    }

    static Link create(int number, Host a, Host b, LinkOptions options) {
        Link link = new Link(number, a, b);
        cable(a, link.first.name(), b, link.second.name());
        link.bringUp(options);
        return link;
    }

    /** A link in two pieces, which meet in a box between them that has no addresses. Whatever runs there carries frames from one to the other. */
    static Link create(int number, Host a, DelayBox box, Host b, LinkOptions options) {
        Link link = new Link(number, a, b);
        String left = "left" + number;
        String right = "right" + number;
        cable(a, link.first.name(), box.host(), left);
        cable(box.host(), right, b, link.second.name());
        box.add(left, right, options);
        link.bringUp(options);
        // While a host asks for the address of another it keeps a hundred packets: on a long and fast way it would lose some.
        link.first.knows(link.second);
        link.second.knows(link.first);
        return link;
    }

    private void bringUp(LinkOptions options) {
        first.bringUp(options);
        second.bringUp(options);
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
}
