package org.tamanoir.cli;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.http.HttpServer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How a gateway and an endpoint run: how much they take, where they say what they do, and how they stop. */
final class GatewayServing {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--max-connections", paramLabel = "N", defaultValue = "1024", description = "Maximum number of open connections. Default: ${DEFAULT-VALUE}.")
    private int maxConnections;

    @Option(names = "--drain", paramLabel = "SECONDS", defaultValue = "10",
            description = "How long open connections may take to end when the program is stopped. Default: ${DEFAULT-VALUE}.")
    private int drainSeconds;

    @Option(names = "--status", paramLabel = "HOST:PORT", converter = HostPort.class,
            description = "Serve /status (JSON) and /metrics (Prometheus) at this address of this machine, without a password. Default: do not serve them.")
    private InetSocketAddress status;

    @Option(names = "--json", description = "Print one JSON object with totals when stopped. READY then goes to standard error.")
    private boolean json;

    int maxConnections() {
        if (maxConnections < 1 || drainSeconds < 0) {
            throw new ParameterException(spec.commandLine(), "--max-connections is at least 1, --drain at least 0");
        }
        return maxConnections;
    }

    /** Waits until the connections have ended. @return whether they all have */
    interface Drain {
        boolean drain(Duration most) throws InterruptedException;
    }

    /** Runs until it is stopped; does not return. */
    void untilStopped(String ready, GatewayReport report, Drain drain, AutoCloseable server) throws InterruptedException {
        HttpServer http = null;
        try {
            http = status == null ? null : report.serve(status);
        } catch (AnepException e) {
            close(server);
            throw e;
        }
        HttpServer shown = http;
        ServerExit.untilStopped(json ? spec.commandLine().getErr() : spec.commandLine().getOut(), ready, () -> {
            int reset = 0;
            try {
                if (!drain.drain(Duration.ofSeconds(drainSeconds))) {
                    reset = report.open().getAsInt();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            close(server);
            report.print(spec.commandLine().getOut(), reset, json);
            if (shown != null) {
                shown.close();
            }
        });
    }

    private static void close(AutoCloseable server) {
        try {
            server.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
