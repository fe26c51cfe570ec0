package org.tamanoir.lab;

import java.util.List;

/**
 * A cable between two hosts: a veth pair with an IPv4 and an IPv6 subnet of its own.
 *
 * @param first  the end at the host that was named first
 * @param second the end at the host that was named second
 */
public record Link(int number, Port first, Port second) implements Subnet {
    private static Link between(int number, Host a, Host b) {
        Subnet subnet = () -> number;
        return new Link(number, Port.of(a, a.portName(b), subnet, 1), Port.of(b, b.portName(a), subnet, 2));
    }

    static Link create(int number, Host a, Host b, LinkOptions options) {
        Link link = between(number, a, b);
        cable(a, link.first.name(), b, link.second.name());
        link.bringUp(options);
        return link;
    }

    /** A link in two pieces, which meet in a box between them that has no addresses. Whatever runs there carries frames from one to the other. */
    static Link create(int number, Host a, DelayBox box, Host b, LinkOptions options) {
        Link link = between(number, a, b);
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
}
