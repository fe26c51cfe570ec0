package org.tamanoir.cli;

import java.net.InetSocketAddress;
import java.util.List;
import org.tamanoir.client.BearerToken;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that say which way a stream takes: mixed into every command that opens one. */
final class Way {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--via", required = true, paramLabel = "HOST:PORT", converter = HostPort.class, description = "The first node on the way.")
    private InetSocketAddress via;

    @Option(names = "--to", required = true, paramLabel = "HOST:PORT", converter = HostPort.class,
            description = "The destination, which the last node connects to.")
    private InetSocketAddress to;

    @Option(names = "--service", split = ",", paramLabel = "NAME",
            description = "The services in order: forward, monitoring, compression, aggregate, qosinus, or a Type ID as 0x5501. A stream "
                + "needs one, unless it belongs to a QoS session.")
    private List<String> services;

    @Mixin
    private BearerOptions bearer;

    /** What the first node is shown; null for nothing. */
    BearerToken token() {
        return bearer.token();
    }

    InetSocketAddress via() {
        return via;
    }

    InetSocketAddress to() {
        return to;
    }

    String[] services() {
        if (services == null) {
            throw new ParameterException(spec.commandLine(), "Missing required option: '--service=NAME'");
        }
        return services.toArray(String[]::new);
    }

    /** Whether services were named. */
    boolean hasServices() {
        return services != null;
    }
}
