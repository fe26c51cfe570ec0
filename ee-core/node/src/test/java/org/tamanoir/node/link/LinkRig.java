package org.tamanoir.node.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.service.NodeServiceContext;
import org.tamanoir.node.service.NodeServiceContext.NodeMeans;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServicePolicy;
import org.tamanoir.node.service.ServicePolicy.FailurePolicy;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.transport.EventLoops;
import org.tamanoir.node.transport.UdpLeg;
import org.tamanoir.node.transport.UdpSockets;
import org.tamanoir.service.ActiveService;
import org.tamanoir.service.Level;
import org.tamanoir.service.MapConfiguration;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Verdict;
import org.tamanoir.service.link.LinkHandler;
import org.tamanoir.service.link.LinkService;
import org.tamanoir.service.link.Links;

/** Event loops with real sockets on loopback, and services that speak on links, without the rest of a node. */
final class LinkRig implements AutoCloseable {
    static final int TYPE = 0x5500;
    private static final Duration TIMEOUT = Duration.ofMillis(300);

    final ServiceRegistry registry = new ServiceRegistry();
    final LinkServices links;
    final List<LinkLoop> loops;
    final InetSocketAddress address;
    private final Map<UdpLeg, Port> ports = new HashMap<>();
    private final EventLoops eventLoops;
    private final ServiceWatch watch = new ServiceWatch(TIMEOUT);

    LinkRig(int threads, boolean nio, LinkSettings settings) throws SocketException {
        this(threads, nio, settings, InetAddress.getLoopbackAddress());
    }

    LinkRig(int threads, boolean nio, LinkSettings settings, InetAddress listen) throws SocketException {
        eventLoops = new EventLoops(threads, nio, () -> 64 << 20);
        UdpSockets sockets = new UdpSockets(eventLoops);
        links = new LinkServices(settings, registry, typeId -> CompletableFuture.failedFuture(
                new AnepException(ErrorCode.UNKNOWN_SERVICE, "nobody has it")), watch, sockets);
        List<UdpLeg> legs = sockets.listen(new InetSocketAddress(listen, free()), leg -> {
            Port port = new Port();
            leg.receiver(port);
            ports.put(leg, port);
        });
        loops = links.open(legs, ports::get);
        for (int i = 0; i < loops.size(); i++) {
            ports.get(legs.get(i)).loop = loops.get(i);
        }
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), legs.get(0).address().getPort());
    }

    private static int free() throws SocketException {
        try (DatagramSocket probe = new DatagramSocket(0)) {
            return probe.getLocalPort();
        }
    }

    /** What a node does with a datagram before it is dispatched. */
    private static final class Port implements UdpLeg.Receiver {
        private final Packet view = new Packet();
        private volatile LinkLoop loop;

        @Override
        public void datagram(ByteBuf buffer, int offset, int length, InetSocketAddress sender) {
            if (!loop.isOwn(sender)) {
                Framing.checkDatagram(buffer, offset, length);
                loop.datagram(view.wrap(buffer, offset, length), sender);
            }
        }

        @Override
        public void readComplete() {
            loop.readComplete();
        }
    }

    /** A service that makes a handler from its links. */
    interface Opens {
        LinkHandler open(Links links) throws Exception;
    }

    /** A version of a service; not yet the one that datagrams get. */
    static RunningService service(String version, Opens opens) {
        LinkService service = new LinkService() {
            @Override
            public LinkHandler openLinks(Links links) throws Exception {
                return opens.open(links);
            }

            @Override
            public StreamHandler open(StreamContext stream) {
                throw new UnsupportedOperationException();
            }
        };
        return running(version, service);
    }

    /** A service that does not speak on links. */
    static RunningService forStreams() {
        return running("1.0.0", stream -> (packet, out) -> Verdict.PASS);
    }

    private static RunningService running(String version, ActiveService service) {
        return new RunningService(TYPE, Level.MIDDLE, service,
                new NodeServiceContext("test", version, new MapConfiguration("test", Map.of()), null, Map.of(), null,
                        new NodeMeans(null, null, null, null, null, null, null, null, null, null)), 1,
                ServicePolicy.preset(FailurePolicy.RESTART, TIMEOUT));
    }

    /** Makes a version current. */
    RunningService run(String version, Opens opens) {
        RunningService service = service(version, opens);
        registry.add(service);
        registry.activate(service);
        return service;
    }

    long dropped(LinkCounters.Drop reason) {
        return links.counters().dropped().get(reason).sum();
    }

    /** A packet with a stream id, 0 for none, a sequence number and a word. */
    static ByteBuf packet(long id, long sequence, String word) {
        PacketOptions options = id == 0 ? null : new PacketOptions().stream(id, sequence);
        return new PacketBuilder(TYPE).options(options).payload(Unpooled.copiedBuffer(word, StandardCharsets.US_ASCII))
                .build(UnpooledByteBufAllocator.DEFAULT);
    }

    static String word(Packet packet) {
        return packet.payload().toString(StandardCharsets.US_ASCII);
    }

    /** A host next to the node. */
    static final class Host implements AutoCloseable {
        final DatagramSocket socket;

        Host() throws SocketException {
            socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            socket.setSoTimeout(5000);
        }

        InetSocketAddress address() {
            return (InetSocketAddress) socket.getLocalSocketAddress();
        }

        void send(InetSocketAddress to, ByteBuf packet) {
            byte[] octets = new byte[packet.readableBytes()];
            packet.readBytes(octets).release();
            try {
                socket.send(new DatagramPacket(octets, octets.length, to));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** The next packet; fails after five seconds. */
        Packet receive() throws IOException {
            DatagramPacket datagram = new DatagramPacket(new byte[65_536], 65_536);
            socket.receive(datagram);
            return Packet.of(Unpooled.wrappedBuffer(datagram.getData(), 0, datagram.getLength()));
        }

        @Override
        public void close() {
            socket.close();
        }
    }

    @Override
    public void close() {
        links.close();
        loops.forEach(loop -> loop.leg().close());
        eventLoops.close();
        watch.close();
    }
}
