package org.tamanoir.cli;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.BearerToken;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.wire.NodeTls;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The options that say which way a stream takes: mixed into every command that opens one. */
final class EntryOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--via", required = true, paramLabel = "[tls://]HOST:PORT", converter = NodeName.class,
            description = "The first node on the path; tls:// connects to it over TLS. Can be given several times, to try the next one if a node cannot be "
                    + "reached.")
    private List<NodeAddress> via;

    @Option(names = "--to", paramLabel = "HOST:PORT", converter = PortRange.Converter.class,
            description = "The destination that the last node connects to.")
    private PortRange to;

    @Option(names = "--service", split = ",", paramLabel = "NAME",
            description = "The services in order: forward, monitoring, compression, aggregate, cache, coalesce, transcode, qosinus, or a Type ID such as 0x5501. "
                    + "A stream needs at least one, unless it belongs to a QoS session.")
    private List<String> services;

    @Option(names = "--parameter", paramLabel = "SERVICE:NAME=VALUE", converter = ServiceParameter.Converter.class,
            description = "Set a parameter of a service for this stream only, such as compression:level=9. Can be given several times. Default: none.")
    private List<ServiceParameter> parameters = List.of();

    @Mixin
    private BearerOptions bearer;

    @Mixin
    private TlsOptions tls;

    /** {@code [tls://]HOST:PORT}. */
    static final class NodeName implements ITypeConverter<NodeAddress> {
        @Override
        public NodeAddress convert(String text) {
            try {
                return NodeAddress.parse(text);
            } catch (AnepException e) {
                throw new TypeConversionException(e.text());
            }
        }
    }

    /** {@code SERVICE:NAME=VALUE}. */
    record ServiceParameter(String service, String name, String value) {
        static final class Converter implements ITypeConverter<ServiceParameter> {
            private static final Pattern TEXT = Pattern.compile("([^:=]+):([^=]+)=(.*)");

            @Override
            public ServiceParameter convert(String text) {
                Matcher matcher = TEXT.matcher(text);
                if (!matcher.matches()) {
                    throw new TypeConversionException("'" + text + "' is not SERVICE:NAME=VALUE");
                }
                return new ServiceParameter(matcher.group(1), matcher.group(2), matcher.group(3));
            }
        }
    }

    /** What is asked of services. */
    List<ServiceParameter> parameters() {
        return parameters;
    }

    /** What the first node is shown; null for nothing. */
    BearerToken token() {
        return bearer.token();
    }

    /** The first of the nodes that were named. */
    NodeAddress via() {
        return via.get(0);
    }

    NodeAddress[] ways() {
        return via.toArray(NodeAddress[]::new);
    }

    /** How the first node is reached by TLS; null if it is not. @throws AnepException EE-501 if a certificate is of no use */
    NodeTls tls() {
        if (!via().secure() && tls.isGiven()) {
            throw new ParameterException(spec.commandLine(), "certificates and authorities are for TLS: --via tls://" + via());
        }
        return via().secure() ? tls.toNodes() : null;
    }

    InetSocketAddress to() {
        PortRange one = toPorts();
        if (one == null) {
            throw new ParameterException(spec.commandLine(), "Missing required option: '--to=HOST:PORT'");
        } else if (one.ports() > 1) {
            throw new ParameterException(spec.commandLine(), "--to takes one port here");
        }
        return one.first();
    }

    /** Null if no destination was named. */
    PortRange toPorts() {
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
