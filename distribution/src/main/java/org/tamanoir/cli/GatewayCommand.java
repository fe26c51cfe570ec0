package org.tamanoir.cli;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.tamanoir.anep.AnepException;
import org.tamanoir.client.gateway.Gateway;
import org.tamanoir.client.gateway.GatewayOptions;
import org.tamanoir.client.wire.EventLoops;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tamanoir gateway}: ordinary TCP connections through the nodes. Runs until it is stopped. */
@Command(name = "gateway", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = {"Carries the TCP connections of unmodified programs through active nodes to an ordinary server, both directions.", "",
            "Each connection is a stream of its own. With --resume it goes on, to the octet, when a node on its way dies, stops or is upgraded. When it starts, the gateway opens one that ends at once, and warns if the nodes refuse it"
            + " or there is no node.", "", "SIGTERM or Ctrl-C: accepts no more, lets the open connections end for a while, then"
            + " resets what is left."},
        footer = {"", "Example:", "  tamanoir gateway --listen 127.0.0.1:5433 --via localhost:3322 --to 10.0.2.9:5432 --service compression",
            "  psql -h 127.0.0.1 -p 5433", "", "Exit codes: " + ExitCode.EXPLAINED})
final class GatewayCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--listen", required = true, paramLabel = "HOST:PORT", converter = HostPort.class,
            description = "Where programs connect; port 0 for any.")
    private InetSocketAddress listen;

    @Mixin
    private EntryOptions way;

    @Mixin
    private GatewayServing serving;

    @Option(names = "--resume", description = "Has connections outlive the nodes on their way: --to is a 'tamanoir endpoint' beside the server then.")
    private boolean resume;

    @Mixin
    private SessionOptions sessions;

    @Option(names = "--check", paramLabel = "SECONDS", defaultValue = "1",
            description = "How long to wait at the start for nodes that refuse the way. The server sees a connection without an octet; 0 spares"
                + " it that, and checks nothing. Default: 1.")
    private int checkSeconds;

    @Option(names = "--require-way", description = "Ends with the reason, instead of warning, if the nodes refuse the way at the start.")
    private boolean requireWay;

    @Override
    public Integer call() throws InterruptedException {
        int most = serving.maxConnections();
        if (checkSeconds < 0 || requireWay && checkSeconds == 0) {
            throw new ParameterException(spec.commandLine(), "--check is at least 0; --require-way needs a check");
        }
        Gateway gateway = Gateway.open(new GatewayOptions(listen).via(way.ways()).to(way.to()).services(way.services())
                .token(way.token()).tls(way.tls()).maxConnections(most).sessions(resume ? sessions.settings(most) : null));
        checkWay(gateway);
        GatewayReport report = new GatewayReport("gateway", gateway::openConnections, gateway.counters(), gateway.sessions());
        serving.untilStopped("READY gateway " + EventLoops.text(gateway.address()), report, gateway::drain, gateway);
        return ExitCode.DONE;
    }

    private void checkWay(Gateway gateway) throws InterruptedException {
        AnepException closed = checkSeconds == 0 ? null : gateway.checkWay(Duration.ofSeconds(checkSeconds)).orElse(null);
        if (closed != null && requireWay) {
            gateway.close();
            throw closed;
        } else if (closed != null) {
            spec.commandLine().getErr().println("warning: programs will be reset until this is mended: " + closed.getMessage());
            spec.commandLine().getErr().flush();
        }
    }
}
