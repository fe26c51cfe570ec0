package org.tamanoir.benchmarks.qos;

import org.tamanoir.lab.Port;
import org.tamanoir.lab.QosTestbed;
import org.tamanoir.qos.domain.DomainFile;
import org.tamanoir.qos.domain.DomainSetup;
import org.tamanoir.qos.domain.DomainStatus;
import org.tamanoir.qos.domain.TcProgram;

/** The classes at one end of a testbed's bottleneck, set up as {@code tamanoir qos domain apply} does. */
public final class Bottleneck {
    /** Octets that a datagram or a segment has more on the link than its payload: UDP, IPv4 and Ethernet headers. */
    public static final int UDP_HEADERS = 8 + 20 + 14;
    /** Payload and headers of a full segment with time stamps, of which the link counts 1514 octets. */
    public static final double TCP_PART = 1448 / 1514.0;

    private final DomainSetup setup;

    private Bottleneck(Port port) {
        setup = new DomainSetup(new TcProgram("ip", "netns", "exec", port.host().namespace()), port.name());
    }

    /** In the direction of the receivers. */
    public static Bottleneck forward(QosTestbed testbed) {
        return new Bottleneck(testbed.bottleneck().first());
    }

    /** In the direction of the senders. */
    public static Bottleneck backward(QosTestbed testbed) {
        return new Bottleneck(testbed.bottleneck().second());
    }

    /**
     * Sets up classes, or changes those that are there.
     *
     * @param yaml as {@link DomainFile} reads it; the queues are plain ones, whatever the kernel has
     */
    public void apply(String yaml) {
        setup.apply(DomainFile.parse(yaml, false), false);
    }

    public DomainStatus status() {
        return setup.show();
    }
}
