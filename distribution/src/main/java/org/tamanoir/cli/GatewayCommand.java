package org.tamanoir.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.gateway.Gateway;
import org.tamanoir.client.gateway.GatewayOptions;
import org.tamanoir.client.gateway.ProxySettings;
import org.tamanoir.client.wire.EventLoops;
import org.tamanoir.identity.destination.DestinationRules;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tamanoir gateway}: ordinary TCP connections through the nodes. Runs until it is stopped. */
@Command(name = "gateway", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = {"Carry the TCP connections of unmodified programs through active nodes to ordinary servers, in both directions.", "",
            "Each connection is a separate stream. It leads to one server (--to); with --proxy, to the destination that its program requests by "
                    + "SOCKS 5 or HTTP CONNECT; with --transparent, to its original destination. With --resume it continues without losing an octet when a "
                    + "node on its path dies, stops or is upgraded.", "",
            "Before it is ready, the gateway opens a test stream to the server and closes it. If nodes or server refuse the stream, the gateway "
                    + "prints the reason and exits.", "",
            "On SIGTERM or Ctrl-C it accepts no new connections, gives open ones some time to end, then resets the rest."},
        footer = {"", "Example:", "  tamanoir gateway --listen 127.0.0.1:5433 --via localhost:3322 --to 10.0.2.9:5432 --service compression",
            "  psql -h 127.0.0.1 -p 5433", "",
            "  tamanoir gateway --proxy --listen 127.0.0.1:1080 --via localhost:3322 --service monitoring --allow 10.0.2.0/24",
            "  curl --proxy socks5h://127.0.0.1:1080 https://10.0.2.9/file", "",
            "  tamanoir gateway --listen 127.0.0.1:8080 --via localhost:3322 --to 10.0.2.9:80 --session 4fd1c8a07be2993d", "", "Exit codes: " + ExitCode.EXPLAINED})
final class GatewayCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--listen", required = true, paramLabel = "HOST:PORT[-PORT]", converter = PortRange.Converter.class,
            description = "Where programs connect; port 0 picks a free one. A range of ports maps to a range of the same size in --to.")
    private PortRange listen;

    @Mixin
    private EntryOptions way;

    @Mixin
    private ProxyOptions proxy;

    @Mixin
    private GatewayServing serving;

    @Option(names = "--resume", description = "Let connections outlive the nodes on their path; --to is then a 'tamanoir endpoint' next to the server.")
    private boolean resume;

    @Mixin
    private SessionOptions sessions;

    @Option(names = "--session", paramLabel = "CODE",
            description = "Carry connections in a QoS session opened by 'qos open', in both directions if the session is for both; --service is not needed then. "
                    + "Connections to any destination other than the session's are best effort.")
    private String session;

    @Option(names = "--check", paramLabel = "SECONDS", defaultValue = "10",
            description = "How long nodes and server may take to accept the test connection at the start. The server sees a connection without data; 0 turns the "
                    + "check off. With --proxy only the node is checked, unless --to names a server to try. Default: ${DEFAULT-VALUE}.")
    private int checkSeconds;

    @Option(names = "--unchecked", description = "If the check fails, start with a warning instead of exiting.")
    private boolean unchecked;

    @Override
    public Integer call() throws InterruptedException {
        int most = serving.maxConnections();
        long code = session == null ? 0 : QosLevel.code(session);
        if (checkSeconds < 0) {
            throw new ParameterException(spec.commandLine(), "--check is at least 0");
        }
        ProxySettings asked = proxy.settings();
        DestinationRules taken = proxy.transparent();
        boolean many = asked != null || taken != null;
        if (taken != null && (!listen.first().getHostString().equals("127.0.0.1") || listen.first().getPort() == 0 || listen.ports() > 1)) {
            throw new ParameterException(spec.commandLine(), "--transparent needs --listen 127.0.0.1:PORT, with a port of its own");
        }
        PortRange to = many && way.toPorts() == null ? null : listen.ports() == 1 ? new PortRange(way.to(), 1) : way.toPorts();
        if (listen.ports() > 1 && (many || to == null || to.ports() != listen.ports())) {
            throw new ParameterException(spec.commandLine(), "a range of ports in --listen needs as long a one in --to, and no --proxy");
        }
        GatewayOptions options = new GatewayOptions(listen.first()).ports(listen.ports()).via(way.ways()).to(to == null ? null : to.first()).proxy(asked).transparent(taken).qosSession(code).services(services())
                .token(way.token()).tls(way.tls()).maxConnections(most).sessions(resume ? sessions.settings(most) : null);
        way.parameters().forEach(each -> options.parameter(each.service(), each.name(), each.value()));
        Gateway gateway = Gateway.open(options);
        checkWay(gateway);
        String last = listen.ports() == 1 ? "" : "-" + (listen.first().getPort() + listen.ports() - 1);
        GatewayReport report = new GatewayReport("gateway", EventLoops.text(gateway.address()) + last, List.of(services()), gateway::openConnections, gateway.counters(), gateway.sessions());
        TransparentRules kernel = taken == null ? null : handOver(gateway, taken);
        serving.untilStopped("READY gateway " + EventLoops.text(gateway.address()) + last, report, gateway::drain, () -> {
            if (kernel != null) {
                kernel.close();
            }
            gateway.close();
        });
        return ExitCode.DONE;
    }

    /** A session of quality of service asks for QoSinus by itself. */
    private String[] services() {
        return session != null && !way.hasServices() ? new String[] {"qosinus"} : way.services();
    }

    private TransparentRules handOver(Gateway gateway, DestinationRules rules) {
        try {
            return TransparentRules.setUp(rules.ranges(), gateway.address().getPort());
        } catch (AnepException e) {
            gateway.close();
            throw e;
        }
    }

    private void checkWay(Gateway gateway) throws InterruptedException {
        AnepException closed;
        Progress progress = new Progress(spec.commandLine().getErr(), "checking the way");
        try (progress) {
            closed = checkSeconds == 0 ? null : gateway.checkWay(Duration.ofSeconds(checkSeconds)).orElse(null);
        }
        if (closed != null && !unchecked) {
            gateway.close();
            throw closed;
        } else if (closed != null) {
            spec.commandLine().getErr().println("warning: programs will get nothing until this is mended: " + closed.getMessage());
            spec.commandLine().getErr().flush();
        }
    }
}
