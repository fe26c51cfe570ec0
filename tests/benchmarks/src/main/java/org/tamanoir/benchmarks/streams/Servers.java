package org.tamanoir.benchmarks.streams;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.tamanoir.benchmarks.load.EchoServer;
import org.tamanoir.benchmarks.load.LoadMain;
import org.tamanoir.benchmarks.process.NginxServer;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.FreePort;
import org.tamanoir.lab.LabException;
import org.tamanoir.lab.PostgresServer;

/** What the programs talk to: nginx with one small answer, PostgreSQL, and an echo. All on loopback. */
final class Servers implements AutoCloseable {
    static final String HOST = "127.0.0.1";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final PostgresServer postgres;
    private final EchoServer echo = EchoServer.ofOctets(InetAddress.getLoopbackAddress());
    private final InetSocketAddress web = FreePort.on(HOST);

    Servers(Workbench workbench) throws IOException {
        DebianPackages.require("ab", "apache2-utils");
        String missing = PostgresServer.missing();
        if (!missing.isEmpty()) {
            throw new LabException(missing);
        }
        NginxServer.start(workbench, workbench.folder("nginx"), """
                server {
                  listen %s:%d backlog=4096;
                  return 200 "An answer of sixty-four octets, which is what a small one has.\\n";
                }
                """.formatted(HOST, web.getPort()));
        LoadMain.reach(web);
        postgres = new PostgresServer(HOST);
        Command.run(List.of(PostgresServer.program("pgbench").toString(), "--initialize", "--quiet", "--host", HOST, "--port",
                Integer.toString(postgres.port()), "--username", "tester", "postgres"), null, PATIENCE);
    }

    /** The web server. */
    InetSocketAddress web() {
        return web;
    }

    InetSocketAddress database() {
        return new InetSocketAddress(HOST, postgres.port());
    }

    /** Sends back what the first read of a connection brings, and closes. */
    InetSocketAddress echo() {
        return echo.address();
    }

    @Override
    public void close() throws IOException {
        echo.close();
        postgres.close();
    }
}
