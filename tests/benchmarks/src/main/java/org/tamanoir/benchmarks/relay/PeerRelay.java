package org.tamanoir.benchmarks.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.lab.LabProcess;

/**
 * HAProxy, nginx and lower marks as relays of TCP, with the least configuration that does it: what is not written here is their default. Both use as many
 * threads or worker processes as there are CPUs, as Debian configures them.
 */
final class PeerRelay {
    static final Path NGINX_STREAM = Path.of("/usr/lib/nginx/modules/ngx_stream_module.so");

    private PeerRelay() {
    }

    /** @param buffer octets of a buffer, or 0 for the default of 16,384 */
    static RelaySystem haproxy(RelayKind kind, RelayTestbed testbed, int buffer) {
        InetSocketAddress load = entry(testbed);
        InetSocketAddress echo = entry(testbed);
        Path file = testbed.folder(kind.toString()).resolve("haproxy.cfg");
        write(file, """
                global
                  maxconn 2000
                %1$s
                defaults
                  mode tcp
                  timeout connect 5s
                  timeout client 1h
                  timeout server 1h
                listen load
                  bind %2$s
                  server sink %3$s
                listen echo
                  bind %4$s
                  server echo %5$s
                """.formatted(buffer == 0 ? "" : "  tune.bufsize " + buffer, text(load), text(testbed.sink().load()),
                text(echo), text(testbed.sink().echo())));
        return started(kind, testbed, load, echo, testbed.node().start(kind.toString(), "haproxy", "-db", "-f", file.toString()));
    }

    /** @param buffer octets of a buffer, or 0 for the default of 16,384 */
    static RelaySystem nginx(RelayKind kind, RelayTestbed testbed, int buffer) {
        InetSocketAddress load = entry(testbed);
        InetSocketAddress echo = entry(testbed);
        Path folder = testbed.folder(kind.toString());
        Path file = folder.resolve("nginx.conf");
        write(file, """
                load_module %1$s;
                daemon off;
                worker_processes auto;
                pid %2$s/pid;
                error_log stderr;
                events {
                  worker_connections 4096;
                }
                stream {
                  %3$s
                  proxy_timeout 1h;
                  server {
                    listen %4$s;
                    proxy_pass %5$s;
                  }
                  server {
                    listen %6$s;
                    proxy_pass %7$s;
                  }
                }
                """.formatted(NGINX_STREAM, folder, buffer == 0 ? "" : "proxy_buffer_size " + buffer + ";", text(load),
                text(testbed.sink().load()), text(echo), text(testbed.sink().echo())));
        return started(kind, testbed, load, echo, testbed.node().start(kind.toString(), "nginx", "-e", "stderr", "-p", folder.toString(),
                "-c", file.toString()));
    }

    static RelaySystem netty(RelayTestbed testbed) {
        InetSocketAddress load = entry(testbed);
        InetSocketAddress echo = entry(testbed);
        return started(RelayKind.NETTY, testbed, load, echo,
                LowerMarks.netty(testbed.node(), "tcp", load, testbed.sink().load(), echo, testbed.sink().echo()));
    }

    /** A process for each way in; the figures of CPU and memory are of the one for the load. */
    static RelaySystem socat(RelayTestbed testbed) {
        InetSocketAddress load = entry(testbed);
        InetSocketAddress echo = entry(testbed);
        LowerMarks.socat(testbed.node(), "tcp", echo, testbed.sink().echo());
        return started(RelayKind.SOCAT, testbed, load, echo, LowerMarks.socat(testbed.node(), "tcp", load, testbed.sink().load()));
    }

    private static RelaySystem started(RelayKind kind, RelayTestbed testbed, InetSocketAddress load, InetSocketAddress echo,
            LabProcess process) {
        testbed.sender().reach(load);
        testbed.sender().reach(echo);
        return new RelaySystem(kind, load, echo, Optional.of(new ProcessTree(process.pid())));
    }

    private static InetSocketAddress entry(RelayTestbed testbed) {
        return new InetSocketAddress(testbed.nodeAddress(), testbed.nextPort());
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
