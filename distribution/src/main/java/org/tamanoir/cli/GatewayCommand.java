package org.tamanoir.cli;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
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
            "Each connection is a stream of its own. When it starts, the gateway opens one that ends at once, and warns if the nodes refuse it"
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

    @Option(names = "--max-connections", paramLabel = "N", defaultValue = "1024",
            description = "Connections at a time; more wait until one ends. Default: 1024.")
    private int maxConnections;

    @Option(names = "--drain", paramLabel = "SECONDS", defaultValue = "10",
            description = "How long open connections may take to end when the gateway is stopped. Default: 10.")
    private int drainSeconds;

    @Option(names = "--check", paramLabel = "SECONDS", defaultValue = "1",
            description = "How long to wait at the start for nodes that refuse the way. The server sees a connection without an octet; 0 spares"
                + " it that, and checks nothing. Default: 1.")
    private int checkSeconds;

    @Option(names = "--require-way", description = "Ends with the reason, instead of warning, if the nodes refuse the way at the start.")
    private boolean requireWay;

    @Option(names = "--json", description = "Prints what was carried as JSON when the gateway is stopped; READY goes to standard error then.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        if (maxConnections < 1 || drainSeconds < 0 || checkSeconds < 0 || requireWay && checkSeconds == 0) {
            throw new ParameterException(spec.commandLine(), "--max-connections is at least 1, --drain and --check at least 0;"
                    + " --require-way needs a check");
        }
        Gateway gateway = Gateway.open(new GatewayOptions(listen).via(way.via()).to(way.to()).services(way.services())
                .token(way.token()).tls(way.tls()).maxConnections(maxConnections));
        checkWay(gateway);
        ServerExit.untilStopped(json ? spec.commandLine().getErr() : spec.commandLine().getOut(),
                "READY gateway " + EventLoops.text(gateway.address()), () -> stop(gateway));
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

    private void stop(Gateway gateway) {
        int reset = 0;
        try {
            if (!gateway.drain(Duration.ofSeconds(drainSeconds))) {
                reset = gateway.openConnections();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        gateway.close();
        print(gateway, reset);
    }

    private void print(Gateway gateway, int reset) {
        PrintWriter out = spec.commandLine().getOut();
        AnepException last = gateway.lastFailure();
        if (json) {
            Map<String, Object> summary = new LinkedHashMap<>();
            summary.put("connections", gateway.counters().connections());
            summary.put("onKeptConnections", gateway.counters().reused());
            summary.put("givenUpByPrograms", gateway.counters().aborted());
            summary.put("broken", gateway.counters().broken());
            summary.put("octetsToNode", gateway.counters().octetsToNode());
            summary.put("octetsToProgram", gateway.counters().octetsToProgram());
            summary.put("resetAtStop", reset);
            summary.put("lastFailure", last == null ? null : last.getMessage());
            Json.print(out, summary);
        } else {
            out.printf("carried %d connections, %d bytes out and %d back; %d failed (%d during shutdown)%s%n",
                    gateway.counters().connections(), gateway.counters().octetsToNode(), gateway.counters().octetsToProgram(),
                    gateway.counters().broken(), reset, last == null ? "" : "; last: " + last.getMessage());
        }
        out.flush();
    }
}
