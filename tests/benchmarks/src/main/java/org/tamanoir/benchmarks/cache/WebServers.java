package org.tamanoir.benchmarks.cache;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tamanoir.benchmarks.load.LoadMain;
import org.tamanoir.benchmarks.process.NginxServer;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.FreePort;

/**
 * nginx as an origin, which notes what it has sent, and as two caches before it: one that copies by buffers as large as the node's packets, one by sendfile. And Varnish, which
 * writes from memory.
 */
final class WebServers {
    private static final String HOST = "127.0.0.1";

    private final Path folder;
    private final InetSocketAddress origin;
    private final InetSocketAddress copying;
    private final InetSocketAddress sending;
    private final InetSocketAddress varnish;

    WebServers(Workbench workbench) throws IOException {
        folder = workbench.folder("nginx");
        origin = FreePort.on(HOST);
        copying = FreePort.on(HOST);
        sending = FreePort.on(HOST);
        varnish = FreePort.on(HOST);
        NginxServer.start(workbench, folder, """
                proxy_cache_path %1$s/cache keys_zone=cache:10m max_size=8g inactive=1h use_temp_path=off;
                log_format sent '$uri $status $body_bytes_sent';
                server {
                  listen 127.0.0.1:%2$d backlog=4096;
                  root %1$s;
                  sendfile on;
                  access_log %1$s/sent.log sent;
                  add_header Cache-Control max-age=3600;
                  location /slow {
                    limit_rate 8m;
                  }
                }
                server {
                  listen 127.0.0.1:%3$d backlog=4096;
                  sendfile off;
                  output_buffers 2 64k;
                  location / {
                    proxy_pass http://127.0.0.1:%2$d;
                    proxy_cache cache;
                  }
                }
                server {
                  listen 127.0.0.1:%4$d backlog=4096;
                  sendfile on;
                  location / {
                    proxy_pass http://127.0.0.1:%2$d;
                    proxy_cache cache;
                  }
                }
                """.formatted(folder, origin.getPort(), copying.getPort(), sending.getPort()));
        startVarnish(workbench);
        LoadMain.reach(origin);
        LoadMain.reach(varnish);
    }

    private void startVarnish(Workbench workbench) throws IOException {
        DebianPackages.require("varnishd", "varnish", "varnish", "varnishncsa");
        Path vcl = Files.writeString(workbench.folder("varnish").resolve("cache.vcl"),
                "vcl 4.1;%nbackend default { .host = \"%s\"; .port = \"%d\"; }%n".formatted(HOST, origin.getPort()));
        workbench.start("varnishd", List.of("varnishd", "-F", "-j", "none", "-n", vcl.resolveSibling("state").toString(), "-a", HOST + ":" + varnish.getPort(), "-f", vcl.toString(),
                "-s", "malloc,256m", "-T", "none"));
    }

    /** Varnish, which has what it keeps in memory. */
    InetSocketAddress varnish() {
        return varnish;
    }

    /** A file that the origin has. */
    Path file(String name) {
        return folder.resolve(name);
    }

    InetSocketAddress origin() {
        return origin;
    }

    /** A cache that reads its files into buffers of 64 KiB. */
    InetSocketAddress copying() {
        return copying;
    }

    /** The same by sendfile. */
    InetSocketAddress sending() {
        return sending;
    }

    /** Octets of content that the origin has sent of a file since it began. */
    long sent(String name) throws IOException {
        return Files.readAllLines(folder.resolve("sent.log")).stream().map(line -> line.split(" ")).filter(words -> words[0].equals("/" + name))
                .mapToLong(words -> Long.parseLong(words[2])).sum();
    }
}
