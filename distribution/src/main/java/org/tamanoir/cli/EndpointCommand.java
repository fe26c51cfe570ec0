package org.tamanoir.cli;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Callable;
import org.tamanoir.client.gateway.Endpoint;
import org.tamanoir.client.gateway.EndpointOptions;
import org.tamanoir.client.wire.EventLoops;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tamanoir endpoint}: the far end of connections that outlive nodes. Runs until it is stopped. */
@Command(name = "endpoint", mixinStandardHelpOptions = true, versionProvider = Version.class,
        description = {"Accept connections of 'tamanoir gateway --resume' at their far end, and carry each to an ordinary server nearby.", "",
            "A connection continues without losing an octet when a node on its path dies, stops or is upgraded. It does not outlive this program.", "",
            "On SIGTERM or Ctrl-C it accepts no new connections, gives open ones some time to end, then resets the rest."},
        footer = {"", "Example:", "  tamanoir endpoint --listen 10.0.2.9:3330 --to 127.0.0.1:5432", "", "Exit codes: " + ExitCode.EXPLAINED})
final class EndpointCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--listen", required = true, paramLabel = "HOST:PORT", converter = HostPort.class,
            description = "Where nodes deliver: the gateways' --to. Port 0 picks a free one.")
    private InetSocketAddress listen;

    @Option(names = "--to", required = true, paramLabel = "HOST:PORT", converter = HostPort.class, description = "The ordinary server.")
    private InetSocketAddress server;

    @Mixin
    private SessionOptions sessions;

    @Mixin
    private GatewayServing serving;

    @Override
    public Integer call() throws InterruptedException {
        EndpointOptions presets = new EndpointOptions(listen, server);
        Endpoint endpoint = Endpoint.open(new EndpointOptions(listen, server, sessions.settings(serving.maxConnections()), presets.connectTimeout(), presets.threads()));
        GatewayReport report = new GatewayReport("endpoint", EventLoops.text(endpoint.address()), List.of(), () -> endpoint.sessions().open(), endpoint.counters(), endpoint.sessions());
        serving.untilStopped("READY endpoint " + EventLoops.text(endpoint.address()), report, endpoint::drain, endpoint);
        return ExitCode.DONE;
    }
}
