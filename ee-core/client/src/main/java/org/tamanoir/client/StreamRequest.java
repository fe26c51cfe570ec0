package org.tamanoir.client;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.anep.StreamParameter;
import org.tamanoir.anep.TraceContext;
import org.tamanoir.client.resumable.SessionSettings;
import org.tamanoir.client.resumable.SessionTally;
import org.tamanoir.client.resumable.Ways;
import org.tamanoir.client.wire.NetworkFailures;
import org.tamanoir.client.wire.NodeTls;
import org.tamanoir.client.wire.Packetizer;

/**
 * What stream to open. {@link #via}, {@link #to} and {@link #services} are needed, the rest has presets. A request can be used for any
 * number of streams; do not change it while one is being opened.
 *
 * <pre>{@code
 * new StreamRequest().via(node).to(new InetSocketAddress("10.0.2.9", 7000)).services("monitoring", "0x5501").udp(true)
 * }</pre>
 */
public final class StreamRequest {
    /** Octets of a packet over TCP unless said otherwise: 13 octets of headers in a hundred thousand. */
    public static final int TCP_PACKET = 60_000;
    /** Octets of a packet over UDP unless said otherwise: fits an Ethernet frame through a tunnel. */
    public static final int UDP_PACKET = 1_400;
    /** The largest payload of a UDP datagram over IPv4: 65,535 less the headers of IP and UDP. */
    public static final int UDP_LARGEST = 65_507;
    /** Services of a stream: one in the header, fifteen in the chain. */
    public static final int MAX_SERVICES = 16;

    /** Has room for a session in the header; no datagram leaves with it that names another first. */
    private static final long NO_SESSION_YET = -1;

    private List<NodeAddress> via = List.of();
    private InetSocketAddress to;
    private int[] services = {};
    private boolean udp;
    private Delivery delivery = Delivery.ANEP;
    private long streamId;
    private boolean discardUnknown = true;
    private boolean checksum;
    private boolean sequence;
    private boolean timestamps;
    private int packetSize;
    private long rate;
    private long qosSession;
    private boolean sessionsVary;
    private Duration connectTimeout = Duration.ofSeconds(10);
    private SessionSettings sessions;
    private TraceContext trace;
    private final List<StreamParameter> parameters = new ArrayList<>();

    /** The first node on the way; or the receiver itself, where no node is wanted. */
    public StreamRequest via(InetSocketAddress node) {
        return via(node == null ? new NodeAddress[0] : new NodeAddress[] {new NodeAddress(node, false)});
    }

    /**
     * Nodes that can be the first on the way, in the order in which they are tried: the next one where a connection cannot be made.
     *
     * @throws AnepException EE-408 if some are reached by TLS and others in the clear
     */
    public StreamRequest via(NodeAddress... nodes) {
        if (Arrays.stream(nodes).map(NodeAddress::secure).distinct().count() > 1) {
            throw wrong("the nodes that a stream may begin at are all reached by TLS, or none is");
        }
        this.via = List.of(nodes);
        return this;
    }

    /** The destination, which the last node connects to. */
    public StreamRequest to(InetSocketAddress destination) {
        this.to = destination;
        return this;
    }

    /** The services that every node applies, in order, by {@linkplain ServiceNames#typeId well-known name or Type ID}. */
    public StreamRequest services(String... names) {
        return services(Arrays.stream(names).mapToInt(ServiceNames::typeId).toArray());
    }

    /** The services by Type ID, in order: 1 to {@value #MAX_SERVICES}. */
    public StreamRequest services(int... typeIds) {
        if (typeIds.length < 1 || typeIds.length > MAX_SERVICES) {
            throw wrong(typeIds.length + " services; a stream has from 1 to " + MAX_SERVICES);
        }
        for (int typeId : typeIds) {
            if (typeId <= Anep.TYPE_ERROR || typeId > 0xFFFF) {
                throw wrong("Type ID " + typeId + " is not between 1 and 65535");
            }
        }
        this.services = typeIds.clone();
        return this;
    }

    /** UDP instead of TCP. */
    public StreamRequest udp(boolean udp) {
        this.udp = udp;
        return this;
    }

    /** Whether the last node hands over packets, the preset, or the payloads alone. */
    public StreamRequest delivery(Delivery delivery) {
        this.delivery = delivery;
        return this;
    }

    /** The stream's id; 0, the preset, for a random one. */
    public StreamRequest streamId(long streamId) {
        this.streamId = streamId;
        return this;
    }

    /** Whether a node that cannot get a service discards the stream, the preset, or passes it on without. */
    public StreamRequest discardUnknown(boolean discardUnknown) {
        this.discardUnknown = discardUnknown;
        return this;
    }

    /** Whether every packet carries a checksum. */
    public StreamRequest checksum(boolean checksum) {
        this.checksum = checksum;
        return this;
    }

    /** Whether every packet carries its number, so that a service can count what is missing. Over UDP they always do. */
    public StreamRequest sequence(boolean sequence) {
        this.sequence = sequence;
        return this;
    }

    /** Whether every packet carries the time at which it was made. */
    public StreamRequest timestamps(boolean timestamps) {
        this.timestamps = timestamps;
        return this;
    }

    /** Octets of a packet, headers included; 0 for the preset: {@value #TCP_PACKET} over TCP, {@value #UDP_PACKET} over UDP. */
    public StreamRequest packetSize(int octets) {
        if (octets < 0) {
            throw wrong("packet size " + octets + " octets is below zero");
        }
        this.packetSize = octets;
        return this;
    }

    /** The most bits a second that are sent, headers of packets included; 0, the preset, for no limit. */
    public StreamRequest rate(long bitsPerSecond) {
        if (bitsPerSecond < 0) {
            throw wrong("a rate of " + bitsPerSecond + " bits a second is below zero");
        }
        this.rate = bitsPerSecond;
        return this;
    }

    /**
     * The QoS session that the stream belongs to; 0, the preset, for none. {@code qosinus} is put in front of the services if it is not one
     * of them.
     */
    public StreamRequest qosSession(long code) {
        this.qosSession = code;
        return this;
    }

    /**
     * Whether each datagram may name a QoS session of its own, by {@link PacketStream#qosSession}: for services that have light rules tell their datagrams apart by it.
     * {@code qosinus} is not put in front. Over UDP alone.
     */
    public StreamRequest sessionsVary(boolean vary) {
        this.sessionsVary = vary;
        return this;
    }

    /**
     * Has the stream outlive the nodes on its way: it goes on by the same or another one of them. Its far end is a receiver with sessions, or an endpoint.
     * Null, the preset, for not.
     */
    public StreamRequest sessions(SessionSettings settings) {
        this.sessions = settings;
        return this;
    }

    /**
     * The trace that the stream belongs to, for nodes that record traces; its parent is the span in which the stream is opened. Over TCP alone. Null, the
     * preset, for none: a node may begin one.
     */
    public StreamRequest trace(TraceContext context) {
        this.trace = context;
        return this;
    }

    /**
     * Asks something of one of the services for this stream alone; which parameters there are is for the service to say. A node that does not take one refuses
     * the stream (EE-110).
     *
     * @param service by {@linkplain ServiceNames#typeId well-known name or Type ID}
     * @throws AnepException EE-408 for what is no parameter
     */
    public StreamRequest parameter(String service, String name, String value) {
        try {
            parameters.add(new StreamParameter(ServiceNames.typeId(service), name, value));
            new PacketOptions().parameters(parameters);
        } catch (IllegalArgumentException e) {
            throw wrong(e.getMessage());
        }
        return this;
    }

    /** How long the node may take to accept the connection. */
    public StreamRequest connectTimeout(Duration timeout) {
        this.connectTimeout = timeout;
        return this;
    }

    public InetSocketAddress via() {
        return via.isEmpty() ? null : via.get(0).address();
    }

    /** Every node that can be the first. */
    public List<NodeAddress> nodes() {
        return via;
    }

    /** Whether the first node is reached by TLS. */
    public boolean secure() {
        return !via.isEmpty() && via.get(0).secure();
    }

    public InetSocketAddress to() {
        return to;
    }

    public boolean udp() {
        return udp;
    }

    public long rate() {
        return rate;
    }

    /** What a session of it may need; null if it does not outlive its nodes. */
    public SessionSettings sessions() {
        return sessions;
    }

    public Duration connectTimeout() {
        return connectTimeout;
    }

    /** The id that was asked for, or a new random one. */
    public long newStreamId() {
        long id = streamId;
        while (id == 0) {
            id = ThreadLocalRandom.current().nextLong();
        }
        return id;
    }

    /**
     * The packets of one stream of this request. Resolves the destination's host.
     *
     * @param token that the first packet shows; null for none
     * @throws AnepException EE-408 for what is missing or out of range, EE-204 if the host has no address
     */
    public Packetizer packetizer(long id, String token) {
        return packetizer(id, token, to);
    }

    /** As {@link #packetizer(long, String)}, to another destination than that of the request. */
    public Packetizer packetizer(long id, String token, InetSocketAddress destination) {
        if (via.isEmpty() || destination == null || services.length == 0 && qosSession == 0) {
            throw wrong("a stream needs a node to go through, a destination and a service");
        }
        if (via.stream().anyMatch(node -> node.address().getPort() == 0) || destination.getPort() == 0) {
            throw wrong("port 0 cannot be connected to");
        }
        if (udp && secure()) {
            throw wrong("datagrams have no TLS: name the node without tls://, and protect the way to it by WireGuard or IPsec");
        }
        if (udp && trace != null) {
            throw wrong("a trace travels in the first packet of a stream over TCP, and a datagram has no first packet");
        }
        if (sessionsVary && (!udp || qosSession != 0)) {
            throw wrong("sessions vary from datagram to datagram, in a stream over UDP that belongs to none");
        }
        if (sessions != null && (udp || delivery != Delivery.ANEP)) {
            throw wrong("a stream that outlives its nodes goes over TCP, and is delivered as packets");
        }
        int size = packetSize != 0 ? packetSize : udp ? UDP_PACKET : TCP_PACKET;
        if (udp && size > UDP_LARGEST) {
            throw wrong("packet size " + size + " octets: a datagram takes at most " + UDP_LARGEST);
        }
        int[] chain = chain();
        PacketOptions opening = opening(id, chain, destination);
        PacketOptions every = udp ? opening : later(id);
        if (!udp) {
            // Over UDP it goes with the cookie.
            opening.token(token);
        }
        return new Packetizer(chain[0], discardUnknown ? Anep.FLAG_DISCARD_UNKNOWN : 0, id, opening, every, timestamps, size);
    }

    /**
     * The nodes by which sessions of this request are opened.
     *
     * @param token null for none
     * @param tls   null if no node is reached by TLS
     * @param tally of these sessions and others
     * @throws AnepException EE-222, EE-408: what would be wrong with every session
     */
    public Ways ways(BearerToken token, NodeTls tls, SessionTally tally) {
        Ways.Opening opening = (node, id) -> packetizer(id, token == null ? null : token.to(node, secure()));
        if (!via.isEmpty()) {
            opening.packets(NetworkFailures.resolved(via()), 1);
        }
        return new Ways(via.stream().map(NodeAddress::address).toList(), secure() ? NodeTls.needed(tls) : null, connectTimeout, opening, sessions, tally);
    }

    /** The services as they are sent: those of a QoS session begin with the one that knows it. */
    private int[] chain() {
        int qosinus = ServiceNames.typeId("qosinus");
        if (qosSession == 0 || Arrays.stream(services).anyMatch(typeId -> typeId == qosinus)) {
            return services;
        }
        if (services.length == MAX_SERVICES) {
            throw wrong(services.length + " services, and qosinus for the session; a stream has at most " + MAX_SERVICES);
        }
        int[] chain = new int[services.length + 1];
        chain[0] = qosinus;
        System.arraycopy(services, 0, chain, 1, services.length);
        return chain;
    }

    private PacketOptions opening(long id, int[] chain, InetSocketAddress destination) {
        PacketOptions options = new PacketOptions().destination(Identifier.of(NetworkFailures.resolved(destination).getAddress()))
                .delivery(destination.getPort(), delivery).stream(id, 0).chain(Arrays.copyOfRange(chain, 1, chain.length))
                .qosSession(sessionsVary ? NO_SESSION_YET : qosSession).checksum(checksum).trace(trace).parameters(parameters);
        // With room for what a node says of itself it has no need to write a datagram anew, and its kernel can carry it.
        return udp ? options.previousNode(PreviousNode.NONE).hops(Anep.DEFAULT_HOPS) : options;
    }

    private PacketOptions later(long id) {
        if (!sequence && !checksum && !timestamps) {
            return null;
        }
        PacketOptions options = new PacketOptions().checksum(checksum);
        return sequence ? options.stream(id, 0) : options;
    }

    private static AnepException wrong(String text) {
        return new AnepException(ErrorCode.BAD_REQUEST, text);
    }
}
