package org.tamanoir.benchmarks.cache;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tamanoir.benchmarks.load.LoadMain;
import org.tamanoir.benchmarks.process.Workbench;
import org.tamanoir.lab.DebianPackages;

/** nginx as an origin, which notes what it has sent, and as two caches before it: one that copies by buffers as large as the node's packets, one by sendfile. */
final class WebServers {
    private static final String HOST = "127.0.0.1";

    private final Path folder;
    private final InetSocketAddress origin;
    private final InetSocketAddress copying;
    private final InetSocketAddress sending;

    WebServers(Workbench workbench) throws IOException {
        DebianPackages.require("nginx", "nginx-light", "nginx");
        folder = workbench.folder("nginx");
        origin = free();
        copying = free();
        sending = free();
        Path file = Files.writeString(folder.resolve("nginx.conf"), """
                daemon off;
                worker_processes auto;
                %5$s
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
                }
                """.formatted(folder, origin.getPort(), copying.getPort(), sending.getPort(), isRoot() ? "user root;" : ""));
        workbench.start("nginx", List.of("nginx", "-e", "stderr", "-p", folder.toString(), "-c", file.toString()));
        LoadMain.reach(origin);
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private static InetSocketAddress free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return new InetSocketAddress(HOST, socket.getLocalPort());
        }
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
