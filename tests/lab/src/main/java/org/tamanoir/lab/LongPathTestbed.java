package org.tamanoir.lab;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * A path of a rate and a round trip: a sender, a router whose queue is the bottleneck, a delay box, and a receiver of several addresses.
 *
 * <pre>
 *   sender ── access ── router ══ queue ══ delay box ══ receiver
 *  10.0.1.1  10.0.1.2  10.0.2.1                         10.0.2.2, 10.0.2.3, …
 * </pre>
 *
 * <p>Each packet stands on each link by itself (no offloads), so that queues count packets and each can be lost on its own. The sender keeps nothing of one flow for
 * the next, and has room for the windows that such a path needs. Loss is made at {@link #arrival}.
 *
 * @param path first end: router; second: receiver
 */
public record LongPathTestbed(Lab lab, Host sender, Host router, Host receiver, Link access, Link path, DelayBox box) implements AutoCloseable {
    private static final LinkOptions CABLE = LinkOptions.DEFAULT.segments(true).offloads(false);
    private static final int FIRST = 2;
    private static final int MOST_ADDRESSES = 64;
    private static final int FRAME = 1514;

    /**
     * The testbed.
     *
     * @param bitsPerSecond at the bottleneck, Ethernet headers counted
     * @param roundTrip     of an empty queue
     * @param queue         packets that it holds
     * @param addresses     of the receiver, 1 to 64
     * @throws LabException if something is missing that cannot be installed (ethtool, a C compiler); the message names the remedy
     */
    public static LongPathTestbed open(long bitsPerSecond, Duration roundTrip, int queue, int addresses) {
        if (addresses < 1 || addresses > MOST_ADDRESSES) {
            throw new IllegalArgumentException("1 to " + MOST_ADDRESSES + " addresses");
        }
        DebianPackages.require("ethtool", "ethtool");
        return Lab.open(lab -> make(lab, bitsPerSecond, roundTrip, queue, addresses));
    }

    private static LongPathTestbed make(Lab lab, long bitsPerSecond, Duration roundTrip, int queue, int addresses) {
        Host sender = lab.host("sender");
        Host router = lab.host("router");
        Host receiver = lab.host("receiver");
        DelayBox box = new DelayBox(lab.host("box"), roundTrip.dividedBy(2));
        Link access = lab.link(sender, router, CABLE);
        Link path = lab.link(router, box, receiver, CABLE);
        box.start();
        router.forward(true);
        sender.routeAll(access.second());
        receiver.routeAll(path.first());
        sender.sysctl("net.ipv4.tcp_no_metrics_save", "1");
        sender.sysctl("net.ipv4.tcp_wmem", "4096 65536 8388608");
        receiver.sysctl("net.ipv4.tcp_rmem", "4096 131072 16777216");
        shape(path.first(), bitsPerSecond, queue);
        LongPathTestbed testbed = new LongPathTestbed(lab, sender, router, receiver, access, path, box);
        for (int i = 1; i < addresses; i++) {
            Port port = testbed.arrival(i + 1);
            receiver.ip("address", "add", port.ipv4().getHostAddress() + "/24", "dev", port.name());
        }
        return testbed;
    }

    private static void shape(Port port, long bitsPerSecond, int queue) {
        Host host = port.host();
        String rate = bitsPerSecond + "bit";
        for (List<String> words : List.of(List.of("qdisc", "add", "dev", port.name(), "root", "handle", "1:", "htb", "default", "10"),
                List.of("class", "add", "dev", port.name(), "parent", "1:", "classid", "1:10", "htb", "rate", rate, "ceil", rate, "quantum", Integer.toString(FRAME)),
                List.of("qdisc", "add", "dev", port.name(), "parent", "1:10", "handle", "10:", "pfifo", "limit", Integer.toString(queue)))) {
            host.run(Command.append(List.of("tc"), words).toArray(String[]::new));
        }
    }

    /** The receiver's end, by one of its addresses. @param number from 1 */
    public Port arrival(int number) {
        Port end = path.second();
        try {
            return new Port(end.host(), end.name(), InetAddress.getByName(String.format(Locale.ROOT, "10.0.%d.%d", path.number(), FIRST + number - 1)), end.ipv6());
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        lab.close();
    }
}
