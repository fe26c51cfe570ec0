package org.tamanoir.benchmarks.relay;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What can be compared. */
public enum RelayKind {
    /** The node's host as a plain IP router: one connection from client to server. */
    DIRECT,
    /** One active node with the service monitoring. */
    TAMANOIR,
    /** HAProxy in TCP mode, its default buffers of 16 KB. */
    HAPROXY,
    /** HAProxy with buffers of 1 MB. */
    HAPROXY_1M,
    /** nginx stream, its default buffers of 16 KB. */
    NGINX,
    /** nginx stream with buffers of 1 MB. */
    NGINX_1M;

    static final List<RelayKind> PEERS = List.of(HAPROXY, HAPROXY_1M, NGINX, NGINX_1M);

    private static final int LARGE = 1024 * 1024;

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

    /** Starts it; it ends with the testbed. */
    RelaySystem start(RelayTestbed testbed) {
        return switch (this) {
            case DIRECT -> new RelaySystem(this, testbed.sink().load(), testbed.sink().echo(), Optional.empty());
            case TAMANOIR -> NodeRelay.start(testbed);
            case HAPROXY -> PeerRelay.haproxy(this, testbed, 0);
            case HAPROXY_1M -> PeerRelay.haproxy(this, testbed, LARGE);
            case NGINX -> PeerRelay.nginx(this, testbed, 0);
            case NGINX_1M -> PeerRelay.nginx(this, testbed, LARGE);
        };
    }
}
