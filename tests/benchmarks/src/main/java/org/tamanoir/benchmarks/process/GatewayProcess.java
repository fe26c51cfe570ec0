package org.tamanoir.benchmarks.process;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tamanoir.lab.LabProcess;

/**
 * A running {@code tamanoir gateway}.
 *
 * @param address where programs connect
 */
public record GatewayProcess(InetSocketAddress address, ProcessTree tree) {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String READY = "READY gateway ";

    /**
     * Starts it on a free port of loopback, and returns when it serves.
     *
     * @param via     the first node
     * @param to      the server
     * @param service of every stream
     * @param more    options
     * @throws org.tamanoir.lab.LabException if it does not get ready; the message holds what it wrote
     */
    public static GatewayProcess start(Build build, Starter starter, InetSocketAddress via, InetSocketAddress to, String service, String... more) {
        List<String> arguments = new ArrayList<>(List.of("gateway", "--listen", "127.0.0.1:0", "--via", NetUtil.toSocketAddressString(via),
                "--to", NetUtil.toSocketAddressString(to), "--service", service));
        arguments.addAll(List.of(more));
        LabProcess process = starter.start("gateway", build.command(arguments.toArray(String[]::new)));
        // READY gateway 127.0.0.1:40001
        URI uri = URI.create("tcp://" + process.awaitLine(READY, PATIENCE).substring(READY.length()).split(" ")[0]);
        return new GatewayProcess(new InetSocketAddress(uri.getHost(), uri.getPort()), new ProcessTree(process.pid()));
    }
}
