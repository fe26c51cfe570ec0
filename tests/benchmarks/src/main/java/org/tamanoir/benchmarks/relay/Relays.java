package org.tamanoir.benchmarks.relay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.benchmarks.load.LoadProcess;
import org.tamanoir.benchmarks.process.Build;
import org.tamanoir.benchmarks.process.NodeProcess;
import org.tamanoir.benchmarks.process.ProcessTree;
import org.tamanoir.benchmarks.process.RepositoryProcess;
import org.tamanoir.benchmarks.process.Starter;
import org.tamanoir.benchmarks.relay.RelayLoad.RelaySystem;
import org.tamanoir.benchmarks.relay.RelayTestbed.Place;
import org.tamanoir.benchmarks.relay.RelayTestbed.Station;
import org.tamanoir.benchmarks.relay.RelayTestbed.Way;
import org.tamanoir.lab.DebianPackages;
import org.tamanoir.lab.LabProcess;
import org.tamanoir.lab.LabRequirements;

/**
 * Starts what is compared. Peers have the least configuration that does it: what is not written here is their default. HAProxy and nginx use
 * as many threads or worker processes as there are CPUs, as Debian configures them. The lower marks are what somebody has in an hour instead.
 */
final class Relays {
    /** What all speak: TLS 1.3, and the cheapest of its cipher suites where the processor has instructions for AES. */
    static final String CIPHERS = "TLS_AES_128_GCM_SHA256";
    private static final Path NGINX_STREAM = Path.of("/usr/lib/nginx/modules/ngx_stream_module.so");

    private static final int LARGE = 1024 * 1024;
    private static final String SOCAT_SECONDS_OF_SILENCE = "60";

    private final RelayPlan plan;
    private final RelayTestbed testbed;

    Relays(RelayPlan plan, RelayTestbed testbed) {
        this.plan = plan;
        this.testbed = testbed;
    }

    /**
     * Installs what is missing of the laboratory and of the programs of some systems, if this process is root.
     *
     * @throws AnepException (EE-504) that names what to do, if it is not
     */
    static void require(List<RelayKind> kinds) {
        LabRequirements lab = LabRequirements.check().installMissing();
        List<String> packages = missing(kinds.stream().map(RelayKind::program).distinct().toList());
        if (!lab.met()) {
            throw new AnepException(ErrorCode.MISSING_TOOL, lab.explain()
                    + (lab.root() || packages.isEmpty() ? "" : " It also needs: apt-get install " + String.join(" ", packages)));
        }
        if (!packages.isEmpty()) {
            String[] services = packages.stream().map(name -> name.replace("nginx-light", "nginx"))
                    .filter(List.of("haproxy", "nginx")::contains).toArray(String[]::new);
            DebianPackages.install(packages, services);
        }
    }

    private static List<String> missing(List<String> programs) {
        List<String> packages = new ArrayList<>();
        for (String program : List.of("haproxy", "nginx", "socat")) {
            if (programs.contains(program) && !LabRequirements.has(program)) {
                packages.add(program.replace("nginx", "nginx-light"));
            }
        }
        if (programs.contains("nginx") && !Files.exists(NGINX_STREAM)) {
            packages.add("libnginx-mod-stream");
        }
        return packages;
    }

    /** Starts one; it ends with the testbed. */
    RelaySystem start(RelayKind kind) {
        return switch (kind) {
            case DIRECT -> testbed.direct();
            case TAMANOIR -> testbed.start(kind, 1, place -> node(place, Build.own()));
            case BEFORE -> testbed.start(kind, 1, place -> node(place, plan.against()));
            case HAPROXY -> peer(kind, place -> haproxy(place, ""));
            case HAPROXY_1M -> peer(kind, place -> haproxy(place, "tune.bufsize " + LARGE));
            case NGINX -> peer(kind, place -> nginx(place, ""));
            case NGINX_1M -> peer(kind, place -> nginx(place, "proxy_buffer_size " + LARGE + ";"));
            case NETTY -> peer(kind, this::netty);
            case SOCAT -> peer(kind, this::socat);
        };
    }

    private RelaySystem peer(RelayKind kind, Peer peer) {
        return testbed.start(kind, Integer.MAX_VALUE, place -> new ProcessTree(peer.start(place).pid()));
    }

    private interface Peer {
        LabProcess start(Place place) throws IOException;
    }

    /** A node as a user starts it, with a repository beside it from which the first stream makes it fetch {@code monitoring}. */
    private ProcessTree node(Place place, Build build) throws IOException {
        Station at = place.at();
        Starter starter = at.host()::start;
        RepositoryProcess repository = RepositoryProcess.start(build, starter, place.folder().resolve("repository"));
        repository.push("monitoring");
        Way way = place.ways().get(0);
        // For datagrams the load's server stands as the next node: its answers come back the way that its datagrams went.
        String next = at.connects() ? "tls://" + way.next() : plan.transport() == Transport.UDP ? way.next() : "direct";
        List<String> more = new ArrayList<>(List.of("--repository", repository.url(), "--route", testbed.serverSubnet() + "=" + next));
        if (at.files() != null) {
            // Whoever comes in without TLS is a client of the first node, and nobody at the second.
            more.addAll(List.of("--config", write(place, "node.yaml", "tls: {certificate: %s, key: %s, authorities: %s, plain: %s}%n"
                    .formatted(at.files().certificate(), at.files().key(), at.files().authorities(), at.accepts() ? "[]" : "[0.0.0.0/0]"))));
        }
        return NodeProcess.start(build, starter, way.from(), place.folder().resolve("data"), more.toArray(String[]::new)).tree();
    }

    private static LabProcess haproxy(Place place, String buffers) throws IOException {
        Station at = place.at();
        String tls = "";
        if (at.files() != null) {
            // It wants certificate and key in one file.
            String both = write(place, "identity.pem", Files.readString(at.files().certificate()) + Files.readString(at.files().key()));
            tls = " ssl ca-file %s crt %s verify required".formatted(at.files().authorities(), both);
        }
        String bind = at.accepts() ? tls : "";
        String server = at.connects() ? tls : "";
        String file = write(place, "haproxy.cfg", """
                global
                  maxconn 2000
                  ssl-default-bind-options ssl-min-ver TLSv1.3
                  ssl-default-bind-ciphersuites %1$s
                  ssl-default-server-options ssl-min-ver TLSv1.3
                  ssl-default-server-ciphersuites %1$s
                  %2$s
                defaults
                  mode tcp
                  timeout connect 5s
                  timeout client 1h
                  timeout server 1h
                %3$s""".formatted(CIPHERS, buffers, each(place, way -> """
                listen port-%d
                  bind %s%s
                  server next %s%s
                """.formatted(way.listen().getPort(), way.from(), bind, way.next(), server))));
        return at.host().start("haproxy", "haproxy", "-db", "-f", file);
    }

    private LabProcess nginx(Place place, String buffers) throws IOException {
        Station at = place.at();
        String tls = at.files() == null ? "" : """
                %1$sssl_protocols TLSv1.3;
                  %1$sssl_conf_command Ciphersuites %3$s;
                  %1$sssl_certificate %4$s;
                  %1$sssl_certificate_key %5$s;
                  %1$sssl_%2$s_certificate %6$s;
                """.formatted(at.connects() ? "proxy_" : "", at.connects() ? "trusted" : "client", CIPHERS,
                at.files().certificate(), at.files().key(), at.files().authorities())
                + (at.connects() ? "  proxy_ssl on; proxy_ssl_verify on; proxy_ssl_name " + RelayTestbed.FAR + ";" : "  ssl_verify_client on;");
        String over = plan.transport() == Transport.UDP ? " udp" : at.accepts() ? " ssl" : "";
        String file = write(place, "nginx.conf", """
                load_module %1$s;
                daemon off;
                worker_processes auto;
                pid %2$s/pid;
                error_log stderr;
                events {
                  worker_connections 4096;
                }
                stream {
                  proxy_timeout 1h;
                  %3$s
                  %4$s
                  %5$s
                }
                """.formatted(NGINX_STREAM, place.folder(), buffers, tls, each(place, way -> """
                server {
                    listen %s%s;
                    proxy_pass %s;
                  }
                """.formatted(way.from(), over, way.next()))));
        return at.host().start("nginx", "nginx", "-e", "stderr", "-p", place.folder().toString(), "-c", file);
    }

    private LabProcess netty(Place place) {
        List<String> arguments = new ArrayList<>(List.of(plan.transport().name()));
        place.ways().forEach(way -> arguments.addAll(List.of(way.from(), way.next())));
        LabProcess process = place.at().host().start("netty", LoadProcess.command(NettyRelay.class, arguments.toArray(String[]::new)));
        process.awaitLine("READY", NettyRelay.PATIENCE);
        return process;
    }

    /** With its own block of 8,192 octets. A process for each way in; figures of CPU and memory are of the first one. */
    private LabProcess socat(Place place) {
        String transport = plan.transport().name();
        String backlog = plan.transport() == Transport.TCP ? ",backlog=600" : "";
        return place.ways().stream().map(way -> place.at().host().start("socat", "socat", "-T", SOCAT_SECONDS_OF_SILENCE,
                transport + "4-LISTEN:" + way.listen().getPort() + ",bind=" + way.listen().getAddress().getHostAddress()
                        + ",reuseaddr,fork" + backlog, transport + "4:" + way.next())).toList().get(0);
    }

    private static String each(Place place, Function<Way, String> text) {
        return place.ways().stream().map(text).collect(Collectors.joining());
    }

    /** @return the file in the relay's folder */
    private static String write(Place place, String name, String text) throws IOException {
        return Files.writeString(place.folder().resolve(name), text).toString();
    }
}
