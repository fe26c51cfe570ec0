package org.tamanoir.benchmarks.qos.edge;

import java.util.Locale;
import java.util.Set;
import org.tamanoir.lab.Port;
import org.tamanoir.lab.QosTestbed;
import org.tamanoir.qos.domain.DomainFile;
import org.tamanoir.qos.domain.DomainSetup;
import org.tamanoir.qos.domain.TcProgram;

/** The classes on a testbed's bottleneck, in the direction of the receivers, set up as {@code tamanoir qos domain apply} does. */
public final class Bottleneck {
    /** Octets that a datagram has more on the link than its payload: UDP, IPv4 and Ethernet headers. */
    public static final int UDP_HEADERS = 8 + 20 + 14;
    /** Payload and headers of a full segment with time stamps, of which the link counts 1514 octets. */
    public static final double TCP_PART = 1448 / 1514.0;

    private Bottleneck() {
    }

    /**
     * Sets up classes, or changes those that are there. The queues are plain ones, whatever the kernel has.
     *
     * @param yaml as {@link DomainFile} reads it, with places for the arguments as {@link String#format} has them
     */
    public static void apply(QosTestbed testbed, String yaml, Object... arguments) {
        Port port = testbed.bottleneck().first();
        new DomainSetup(new TcProgram("ip", "netns", "exec", port.host().namespace()), port.name())
                .apply(DomainFile.parse(String.format(Locale.ROOT, yaml, arguments), Set.of()), false);
    }
}
