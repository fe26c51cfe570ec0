package org.tamanoir.benchmarks.relay;

import static org.tamanoir.benchmarks.relay.Transport.TCP;
import static org.tamanoir.benchmarks.relay.Transport.TLS;
import static org.tamanoir.benchmarks.relay.Transport.UDP;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What can be compared. */
public enum RelayKind {
    /** The node's host as a plain IP router: one connection from client to server. */
    DIRECT(TCP, TLS, UDP),
    /** One active node with the service monitoring. */
    TAMANOIR(TCP, TLS, UDP),
    /** The same of another build, such as the commit before. */
    BEFORE(TCP, TLS, UDP),
    /** HAProxy in TCP mode, its default buffers of 16 KB. */
    HAPROXY(TCP, TLS),
    /** HAProxy with buffers of 1 MB. */
    HAPROXY_1M(TCP, TLS),
    /** nginx stream, its default buffers of 16 KB; of datagrams it has no buffer to choose. */
    NGINX(TCP, TLS, UDP),
    /** nginx stream with buffers of 1 MB. */
    NGINX_1M(TCP, TLS),
    /** A lower mark: the few lines of Netty's own example. */
    NETTY(TCP, UDP),
    /** A lower mark: socat, a process for each stream. */
    SOCAT(TCP, UDP);

    private final List<Transport> transports;

    RelayKind(Transport... transports) {
        this.transports = List.of(transports);
    }

    /** All that relay something. */
    static List<RelayKind> of(Transport transport) {
        return Arrays.stream(values()).filter(kind -> kind.transports.contains(transport)).toList();
    }

    /** What is compared if nobody chooses. @param before beside another build, where all buffers of plain streams are of 1 MB */
    public static List<RelayKind> compared(Transport transport, boolean before) {
        return before && transport == TCP ? List.of(DIRECT, TAMANOIR, BEFORE, HAPROXY_1M, NGINX_1M)
                : of(transport).stream().filter(kind -> before || kind != BEFORE).toList();
    }

    /** As options and results name it: {@code haproxy-1m}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Of a peer: {@code haproxy}, whatever its buffers. */
    String program() {
        return toString().replace("-1m", "");
    }
}
