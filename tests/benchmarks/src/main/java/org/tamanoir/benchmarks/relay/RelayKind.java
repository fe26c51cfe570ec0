package org.tamanoir.benchmarks.relay;

import java.util.List;
import java.util.Locale;
import org.tamanoir.anep.Anep;
import org.tamanoir.benchmarks.process.Build;

/** What can be compared. */
public enum RelayKind {
    /** The node's host as a plain IP router: one connection from client to server. */
    DIRECT,
    /** One active node with the service monitoring. */
    TAMANOIR,
    /** The same of another build, such as the commit before. */
    BEFORE,
    /** HAProxy in TCP mode, its default buffers of 16 KB. */
    HAPROXY,
    /** HAProxy with buffers of 1 MB. */
    HAPROXY_1M,
    /** nginx stream, its default buffers of 16 KB. */
    NGINX,
    /** nginx stream with buffers of 1 MB. */
    NGINX_1M,
    /** A lower mark: the few lines of Netty's own example. */
    NETTY,
    /** A lower mark: socat, a process for each stream. */
    SOCAT;

    /** What can do TLS. */
    public static final List<RelayKind> BY_TLS = List.of(DIRECT, TAMANOIR, BEFORE, HAPROXY, HAPROXY_1M, NGINX, NGINX_1M);
    /** What a node is compared to, besides the router. */
    static final List<RelayKind> OTHERS = List.of(BEFORE, HAPROXY, HAPROXY_1M, NGINX, NGINX_1M, NETTY, SOCAT);

    private static final int LARGE = 1024 * 1024;
    /** More than a node has from its first on. */
    private static final int PORTS_OF_A_NODE = 10;

    /** What is compared if nobody chooses. @param before beside another build, where all buffers are of 1 MB */
    public static List<RelayKind> compared(boolean before) {
        return before ? List.of(DIRECT, TAMANOIR, BEFORE, HAPROXY_1M, NGINX_1M) : List.of(DIRECT, TAMANOIR, HAPROXY, HAPROXY_1M, NGINX, NGINX_1M, NETTY, SOCAT);
    }

    /** The same with TLS between two relays. */
    public static List<RelayKind> comparedByTls(boolean before) {
        return BY_TLS.stream().filter(kind -> before || kind != BEFORE).toList();
    }

    /** As options and results name it: {@code haproxy-1m}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    boolean isHaproxy() {
        return this == HAPROXY || this == HAPROXY_1M;
    }

    boolean isNginx() {
        return this == NGINX || this == NGINX_1M;
    }

    /** Starts it; it ends with the testbed. @param before of {@link #BEFORE}; null without it */
    RelaySystem start(RelayTestbed testbed, Build before) {
        return switch (this) {
            case DIRECT -> new RelaySystem(this, testbed.sink().load(), testbed.sink().echo(), List.of());
            case TAMANOIR -> NodeRelay.start(this, Build.own(), testbed, Anep.PORT_DATA);
            case BEFORE -> NodeRelay.start(this, before, testbed, Anep.PORT_DATA + PORTS_OF_A_NODE);
            case HAPROXY -> testbed.start(this, (ways, folder) -> PeerRelay.haproxy(ways, folder, 0));
            case HAPROXY_1M -> testbed.start(this, (ways, folder) -> PeerRelay.haproxy(ways, folder, LARGE));
            case NGINX -> testbed.start(this, (ways, folder) -> PeerRelay.nginx(ways, folder, 0));
            case NGINX_1M -> testbed.start(this, (ways, folder) -> PeerRelay.nginx(ways, folder, LARGE));
            case NETTY -> testbed.start(this, (ways, folder) -> LowerMarks.netty(ways.station().host(), "tcp", ways.load(), ways.toLoad(), ways.echo(), ways.toEcho()));
            case SOCAT -> testbed.start(this, LowerMarks::socat);
        };
    }
}
