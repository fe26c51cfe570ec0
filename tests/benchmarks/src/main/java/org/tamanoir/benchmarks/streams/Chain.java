package org.tamanoir.benchmarks.streams;

import static io.netty.util.NetUtil.toSocketAddressString;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tamanoir.benchmarks.load.LoadMain;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.GatewayProcess;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.FreePort;

/**
 * A way from programs to their servers.
 *
 * @param name     as results name it
 * @param web      where programs find the web server
 * @param database where they find PostgreSQL
 * @param echo     where they find the echo
 */
record Chain(String name, InetSocketAddress web, InetSocketAddress database, InetSocketAddress echo) {
    static final String DIRECT = "direct";
    static final String HAPROXY = "haproxy-3";

    private static final String ANY_PORT = "127.0.0.1:0";
    private static final String SERVICE = "monitoring";

    /** No relay. */
    static Chain direct(Servers servers) {
        return new Chain(DIRECT, servers.web(), servers.database(), servers.echo());
    }

    /** HAProxy three times in a row in TCP mode, with buffers of 1 MB, and with as many threads each as a node has event loops. */
    static Chain haproxy(Workbench workbench, Servers servers) throws IOException {
        DebianPackages.require("haproxy", "haproxy", "haproxy");
        Chain chain = direct(servers);
        for (int i = 3; i >= 1; i--) {
            chain = haproxyBefore(chain, workbench, "haproxy-" + i);
        }
        return new Chain(HAPROXY, chain.web, chain.database, chain.echo);
    }

    private static Chain haproxyBefore(Chain next, Workbench workbench, String name) throws IOException {
        Chain chain = new Chain(name, FreePort.on(Servers.HOST), FreePort.on(Servers.HOST), FreePort.on(Servers.HOST));
        Path file = Files.writeString(workbench.folder(name).resolve("haproxy.cfg"), """
                global
                  maxconn 1024
                  nbthread %1$d
                  tune.bufsize 1048576
                defaults
                  mode tcp
                  timeout connect 5s
                  timeout client 1h
                  timeout server 1h
                """.formatted(Runtime.getRuntime().availableProcessors())
                + listen("web", chain.web, next.web) + listen("database", chain.database, next.database) + listen("echo", chain.echo, next.echo));
        workbench.start(name, List.of("haproxy", "-db", "-f", file.toString()));
        for (InetSocketAddress entry : List.of(chain.web, chain.database, chain.echo)) {
            LoadMain.reach(entry);
        }
        return chain;
    }

    private static String listen(String name, InetSocketAddress at, InetSocketAddress to) {
        return "listen %s\n  bind %s\n  server next %s\n".formatted(name, toSocketAddressString(at), toSocketAddressString(to));
    }

    /** A gateway for each server, and two nodes with monitoring. */
    static Chain nodes(Build build, Workbench workbench, Servers servers) {
        RepositoryProcess repository = RepositoryProcess.start(build, workbench, workbench.folder(build + "-repository"));
        repository.push(SERVICE);
        NodeProcess last = NodeProcess.start(build, workbench, ANY_PORT, workbench.folder(build + "-last"), "--repository", repository.url());
        NodeProcess first = NodeProcess.start(build, workbench, ANY_PORT, workbench.folder(build + "-first"), "--repository", repository.url(),
                "--route", "127.0.0.0/8=" + toSocketAddressString(last.address()));
        return new Chain(build.name(), gateway(build, workbench, first, servers.web()), gateway(build, workbench, first, servers.database()),
                gateway(build, workbench, first, servers.echo()));
    }

    private static InetSocketAddress gateway(Build build, Workbench workbench, NodeProcess first, InetSocketAddress server) {
        return GatewayProcess.start(build, workbench, first.address(), server, SERVICE).address();
    }
}
