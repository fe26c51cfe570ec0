package org.tamanoir.benchmarks.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Starter;
import org.tamanoir.lab.LabProcess;

/** The relays of datagrams: those of {@link RelayKind} that have them, started for the load's destination. */
final class DatagramRelays {
    /** HAProxy relays no datagrams, and nginx has no buffer to choose for them. */
    static final List<RelayKind> KINDS = List.of(RelayKind.DIRECT, RelayKind.TAMANOIR, RelayKind.BEFORE, RelayKind.NGINX, RelayKind.NETTY, RelayKind.SOCAT);

    private DatagramRelays() {
    }

    /** Starts one; it ends with the testbed. @param before of {@link RelayKind#BEFORE}; null without it */
    static RelaySystem start(RelayKind kind, DatagramTestbed testbed, Build before) {
        InetSocketAddress entry = testbed.entry();
        return switch (kind) {
            case DIRECT -> new RelaySystem(kind, testbed.destination(), testbed.destination(), List.of());
            case TAMANOIR -> node(kind, testbed, entry, Build.own());
            case BEFORE -> node(kind, testbed, entry, before);
            case NGINX -> process(kind, entry, nginx(testbed, entry));
            case NETTY -> process(kind, entry, LowerMarks.netty(testbed.relay(), "udp", entry, testbed.destination()));
            case SOCAT -> process(kind, entry, LowerMarks.socat(testbed.relay(), "udp", entry, testbed.destination()));
            default -> throw new IllegalArgumentException(kind + " relays no datagrams");
        };
    }

    private static RelaySystem process(RelayKind kind, InetSocketAddress entry, LabProcess process) {
        return new RelaySystem(kind, entry, entry, List.of(new ProcessTree(process.pid())));
    }

    /** The load's server stands as the next node: its answers come back the way that its datagrams went. */
    private static RelaySystem node(RelayKind kind, DatagramTestbed testbed, InetSocketAddress entry, Build build) {
        Starter starter = testbed.relay()::start;
        RepositoryProcess repository = RepositoryProcess.start(build, starter, testbed.folder(kind + "-repository"));
        repository.push("monitoring");
        NodeProcess node = NodeProcess.start(build, starter, LowerMarks.text(entry), testbed.folder(kind.toString()), "--repository", repository.url(),
                "--route", testbed.serverSubnet() + "=" + LowerMarks.text(testbed.destination()));
        return new RelaySystem(kind, entry, entry, List.of(node.tree()));
    }

    private static LabProcess nginx(DatagramTestbed testbed, InetSocketAddress entry) {
        Path folder = testbed.folder(RelayKind.NGINX.toString());
        Path file = folder.resolve("nginx.conf");
        try {
            Files.writeString(file, """
                    load_module %1$s;
                    daemon off;
                    worker_processes auto;
                    pid %2$s/pid;
                    error_log stderr;
                    events {
                    }
                    stream {
                      proxy_timeout 1m;
                      server {
                        listen %3$s udp;
                        proxy_pass %4$s;
                      }
                    }
                    """.formatted(PeerRelay.NGINX_STREAM, folder, LowerMarks.text(entry), LowerMarks.text(testbed.destination())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return testbed.relay().start("nginx", "nginx", "-e", "stderr", "-p", folder.toString(), "-c", file.toString());
    }
}
