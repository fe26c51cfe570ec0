package org.tamanoir.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A host that carries the frames of {@link Lab#link(Host, DelayBox, Host, LinkOptions) links} from one side to the other, each after the same
 * time: a program for all of them, since not every kernel has netem. Links without offloads it carries frame by frame and holds up to 32,768 of them,
 * of up to 2,032 octets; links with offloads, right for throughput, as aggregates of up to 64 KB, and holds up to 4,096 of those.
 */
public final class DelayBox {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int MOST_OCTETS = 2_032;
    private static final int ETHERNET_HEADER = 14;

    /**
     * What the box has done since its start, in both directions of all links.
     *
     * @param carried frames
     * @param dropped frames for which it, or the kernel before it, had no room; in a good run none
     */
    public record Count(long carried, long dropped) {
    }

    private final Host host;
    private final Duration oneWay;
    private final List<String> pairs = new ArrayList<>();
    private boolean aggregates;
    private LabProcess process;

    /** @param oneWay how long each frame is held, up to ten seconds */
    public DelayBox(Host host, Duration oneWay) {
        this.host = host;
        this.oneWay = oneWay;
        // It has no addresses, and its kernel is not to say anything to anybody.
        host.sysctl("net.ipv6.conf.default.disable_ipv6", "1");
    }

    Host host() {
        return host;
    }

    void add(String left, String right, LinkOptions options) {
        if (process != null) {
            throw new IllegalStateException("the delay box runs: make its links before");
        }
        if (!options.offloads() && options.mtu() > MOST_OCTETS - ETHERNET_HEADER) {
            throw new IllegalArgumentException("the delay box carries links without offloads of an MTU of up to " + (MOST_OCTETS - ETHERNET_HEADER) + " octets");
        }
        if (!pairs.isEmpty() && aggregates != options.offloads()) {
            throw new IllegalArgumentException("a delay box carries links with offloads, or links without, and not both");
        }
        aggregates = options.offloads();
        for (String name : List.of(left, right)) {
            Port.prepare(host, name, options);
            host.ip("link", "set", "dev", name, "up");
        }
        pairs.add(left + ":" + right);
    }

    /** Starts to carry. @throws LabException if the program cannot be compiled or does not start */
    public void start() {
        List<String> command = new ArrayList<>(List.of(NativeTool.make("tests/lab", "", "tamanoir-delay").toString()));
        if (aggregates) {
            command.add("--aggregates");
        }
        command.add(Long.toString(oneWay.toNanos() / 1_000));
        process = host.start("delay box", Command.append(command, pairs));
        process.awaitLine("READY", PATIENCE);
    }

    public Count count() {
        process.tell("count");
        String[] words = process.awaitLine("count", PATIENCE).split(" ");
        return new Count(Long.parseLong(words[1]), Long.parseLong(words[2]));
    }
}
