package org.tamanoir.benchmarks.streams;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.tamanoir.benchmarks.load.EchoServer;
import org.tamanoir.benchmarks.load.LoadMain;
import org.tamanoir.benchmarks.process.PostgresServer;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.lab.Command;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabException;

/** What the programs talk to: nginx with one small answer, PostgreSQL, and an echo. All on loopback. */
final class Servers implements AutoCloseable {
    static final String HOST = "127.0.0.1";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final PostgresServer postgres;
    private final EchoServer echo = EchoServer.ofOctets(InetAddress.getLoopbackAddress());
    private final InetSocketAddress web = free();

    Servers(Workbench workbench) throws IOException {
        DebianPackages.require("ab", "apache2-utils");
        DebianPackages.require("nginx", "nginx-light", "nginx");
        String missing = PostgresServer.missing();
        if (!missing.isEmpty()) {
            throw new LabException(missing);
        }
        startNginx(workbench);
        postgres = new PostgresServer(HOST);
        Command.run(List.of(PostgresServer.program("pgbench").toString(), "--initialize", "--quiet", "--host", HOST, "--port",
                Integer.toString(postgres.port()), "--username", "tester", "postgres"), null, PATIENCE);
    }

    private void startNginx(Workbench workbench) throws IOException {
        Path folder = workbench.folder("nginx");
        Path file = Files.writeString(folder.resolve("nginx.conf"), """
                daemon off;
                worker_processes auto;
                pid %1$s/pid;
                error_log stderr;
                events {
                  worker_connections 4096;
                }
                http {
                  access_log off;
                  keepalive_requests 1000000;
                  client_body_temp_path %1$s/body;
                  proxy_temp_path %1$s/proxy;
                  fastcgi_temp_path %1$s/fastcgi;
                  uwsgi_temp_path %1$s/uwsgi;
                  scgi_temp_path %1$s/scgi;
                  server {
                    listen %2$s:%3$d backlog=4096;
                    return 200 "An answer of sixty-four octets, which is what a small one has.\\n";
                  }
                }
                """.formatted(folder, HOST, web.getPort()));
        workbench.start("nginx", List.of("nginx", "-e", "stderr", "-p", folder.toString(), "-c", file.toString()));
        LoadMain.reach(web);
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

    /** An address on loopback where nobody listens yet. */
    static InetSocketAddress free() {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(HOST, 0));
            return (InetSocketAddress) socket.getLocalSocketAddress();
        } catch (IOException e) {
            throw new LabException("no free port on loopback", e);
        }
    }

    @Override
    public void close() throws IOException {
        echo.close();
        postgres.close();
    }
}
