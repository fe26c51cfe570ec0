package org.tamanoir.lab;

import java.util.List;
import org.tamanoir.lab.Bridge.Tap;

/**
 * A router with a kernel of its own, where modules can be loaded and queues are to be had that this machine's kernel lacks, between a sender and a receiver.
 *
 * <pre>
 *   sender .10 ── br0 ── .2 router .2 ── br1 ── .10 receiver
 *          10.0.1.0/24              10.0.2.0/24
 * </pre>
 *
 * <p>The router's interfaces are {@code vec0} and {@code vec1}. Each packet is one: no offloads.
 */
public record KernelTestbed(Lab lab, Port sender, Port receiver, Director router) implements AutoCloseable {
    private static final int ROUTER = 2;

    /**
     * The testbed.
     *
     * @param megabytes of memory of the router
     * @throws LabException if something is missing that cannot be installed; the message names the remedy
     */
    public static KernelTestbed open(int megabytes) {
        DebianPackages.require("linux.uml", "user-mode-linux");
        DebianPackages.require("modprobe", "kmod");
        DebianPackages.require("ethtool", "ethtool");
        return Lab.open(lab -> {
            Host switches = lab.host("switches");
            Bridge near = lab.bridge(switches, LinkOptions.DEFAULT.offloads(false));
            Bridge far = lab.bridge(switches, LinkOptions.DEFAULT.offloads(false));
            Port sender = near.join(lab.host("sender"));
            Port receiver = far.join(lab.host("receiver"));
            Tap left = near.tap(ROUTER);
            Tap right = far.tap(ROUTER);
            sender.host().route("default", left.ipv4());
            receiver.host().route("default", right.ipv4());
            return new KernelTestbed(lab, sender, receiver, Director.boot(switches, "router", List.of(left, right), megabytes));
        });
    }

    @Override
    public void close() {
        router.close();
        lab.close();
    }
}
