package org.tamanoir.cli;

import java.net.InetSocketAddress;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that say which way a stream takes: mixed into every command that opens one. */
final class Way {
    @Option(names = "--via", required = true, paramLabel = "HOST:PORT", converter = HostPort.class, description = "The first node on the way.")
    private InetSocketAddress via;

    @Option(names = "--to", required = true, paramLabel = "HOST:PORT", converter = HostPort.class,
            description = "The destination, which the last node connects to.")
    private InetSocketAddress to;

    @Option(names = "--service", required = true, split = ",", paramLabel = "NAME",
            description = "The services in order: forward, monitoring, compression, aggregate, or a Type ID as 0x5501.")
    private List<String> services;

    InetSocketAddress via() {
        return via;
    }

    InetSocketAddress to() {
        return to;
    }

    String[] services() {
        return services.toArray(String[]::new);
    }
}
