package org.tamanoir.client.gateway;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.client.BearerToken;
import org.tamanoir.client.NodeAddress;
import org.tamanoir.client.StreamRequest;
import org.tamanoir.client.resumable.SessionSettings;
import org.tamanoir.client.resumable.SessionTally;
import org.tamanoir.client.resumable.Ways;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.client.wire.NodeTls;
import org.tamanoir.client.wire.Packetizer;
import org.tamanoir.identity.destination.DestinationRules;

/** Where a {@link Gateway} listens and what it makes of a connection. */
public final class GatewayOptions {
    private final InetSocketAddress listen;
    private final StreamRequest request = new StreamRequest().delivery(Delivery.RAW);
    private BearerToken token;
    private NodeTls tls;
    private int ports = 1;
    private ProxySettings proxy;
    private DestinationRules transparent;
    private SessionSettings sessions;
    private Duration keepConnections = Duration.ofSeconds(15);
    private int maxConnections = 1024;
    private int threads = Math.min(4, Runtime.getRuntime().availableProcessors());

    /** @param listen where programs connect; port 0 for any */
    public GatewayOptions(InetSocketAddress listen) {
        this.listen = listen;
    }

    /** The first node on the way. */
    public GatewayOptions via(InetSocketAddress node) {
        request.via(node);
        return this;
    }

    /** Nodes that can be the first on the way, in the order in which they are tried. */
    public GatewayOptions via(NodeAddress... nodes) {
        request.via(nodes);
        return this;
    }

    /** Has connections outlive their nodes; the destination is an {@link Endpoint} then, and not the server. Null, the preset, for not. */
    public GatewayOptions sessions(SessionSettings settings) {
        sessions = settings;
        request.sessions(settings).delivery(settings == null ? Delivery.RAW : Delivery.ANEP);
        return this;
    }

    /** The ordinary server that the last node connects to. */
    public GatewayOptions to(InetSocketAddress destination) {
        request.to(destination);
        return this;
    }

    /**
     * Listens on as many ports, the first of which is that of {@link #listen}, and leads each to a port of the destination's host: the first to
     * that of {@link #to}, and so on. Preset 1.
     */
    public GatewayOptions ports(int number) {
        ports = number;
        return this;
    }

    /** Has each program say where it wants to go, by SOCKS 5 or HTTP CONNECT; {@link #to} is not used then. Null, the preset, for not. */
    public GatewayOptions proxy(ProxySettings settings) {
        proxy = settings;
        return this;
    }

    /**
     * Takes connections to others that the kernel hands over (TPROXY), and leads each where its program meant it to go; {@link #to} is not used
     * then. Needs epoll, and CAP_NET_ADMIN. Null, the preset, for not.
     */
    public GatewayOptions transparent(DestinationRules rules) {
        transparent = rules;
        return this;
    }

    /** The services, by name or Type ID, in order. */
    public GatewayOptions services(String... names) {
        request.services(names);
        return this;
    }

    /** Streams are of this session of quality of service; see {@link StreamRequest#qosSession}. 0, the preset, for none. */
    public GatewayOptions qosSession(long code) {
        request.qosSession(code);
        return this;
    }

    /** Asks something of one of the services for each stream; see {@link StreamRequest#parameter}. */
    public GatewayOptions parameter(String service, String name, String value) {
        request.parameter(service, name, value);
        return this;
    }

    /** Shows a token with the stream of each connection; null for none, the preset. */
    public GatewayOptions token(BearerToken shown) {
        token = shown;
        return this;
    }

    /** How a node that is named {@code tls://HOST:PORT} is reached; null, the preset, for not at all. */
    public GatewayOptions tls(NodeTls shown) {
        tls = shown;
        return this;
    }

    /** How long the node may take to accept a connection. Preset 10 s. */
    public GatewayOptions connectTimeout(Duration timeout) {
        request.connectTimeout(timeout);
        return this;
    }

    /**
     * How long a connection to the node waits for another stream when its own is over; zero to use each for one stream. Preset 15 s, well
     * below the 60 s after which a node gives it up.
     */
    public GatewayOptions keepConnections(Duration longest) {
        this.keepConnections = longest;
        return this;
    }

    /** Connections at a time; more wait in the listening socket's queue until one ends. Preset 1,024. */
    public GatewayOptions maxConnections(int connections) {
        this.maxConnections = connections;
        return this;
    }

    /** Event loops. Default: one a processor, at most 4. */
    public GatewayOptions threads(int threads) {
        this.threads = threads;
        return this;
    }

    public InetSocketAddress listen() {
        return listen;
    }

    public StreamRequest request() {
        return request;
    }

    /** Null where the destination is a property of the gateway. */
    public ProxySettings proxy() {
        return proxy;
    }

    /** Null where connections are made to the gateway itself. */
    public DestinationRules transparent() {
        return transparent;
    }

    int ports() {
        return ports;
    }

    /** What would be wrong with every connection. @throws AnepException EE-222 if the token would be exposed, EE-408 for what is missing */
    void check() {
        boolean many = proxy != null || transparent != null;
        if (many && sessions != null || proxy != null && transparent != null) {
            throw new AnepException(ErrorCode.BAD_REQUEST, proxy != null && transparent != null ? "a gateway is a proxy or transparent" : "the destinations of such a gateway are ordinary servers, and a stream that outlives its nodes leads to an endpoint");
        }
        int last = Math.max(listen.getPort(), request.to() == null ? 0 : request.to().getPort()) + ports - 1;
        if (ports < 1 || last > 0xFFFF || ports > 1 && (listen.getPort() == 0 || many || sessions != null)) {
            throw new AnepException(ErrorCode.BAD_REQUEST, "a range of ports begins at a port and ends at 65535 at most, and leads to ordinary servers of a fixed host");
        }
        // Of many destinations any will do: each is looked at when it is named.
        packetizer(!many ? request.to() : listen.getPort() == 0 ? new InetSocketAddress(listen.getHostString(), 1) : listen);
        tls();
    }

    /** The packets of a new stream. @throws AnepException EE-222 if the token would be exposed, EE-408 for what is missing */
    Packetizer packetizer(InetSocketAddress destination) {
        return request.packetizer(request.newStreamId(), token == null || request.via() == null ? null : token.to(NetworkFailures.resolved(request.via()), request.secure()), destination);
    }

    /** Null where connections do not outlive nodes. */
    public SessionSettings sessions() {
        return sessions;
    }

    Ways ways() {
        return request.ways(token, tls, new SessionTally(sessions.memory()));
    }

    /** Null for connections in the clear. @throws AnepException EE-408 if it is missing */
    NodeTls tls() {
        return request.secure() ? NodeTls.needed(tls) : null;
    }

    public Duration keepConnections() {
        return keepConnections;
    }

    public int threads() {
        return threads;
    }

    public int maxConnections() {
        return maxConnections;
    }
}
