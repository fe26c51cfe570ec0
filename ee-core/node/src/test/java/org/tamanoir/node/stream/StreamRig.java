package org.tamanoir.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.tamanoir.anep.Anep;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.ConnectionUse;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Framing;
import org.tamanoir.anep.Identifier;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions;
import org.tamanoir.node.access.AccessControl;
import org.tamanoir.node.firefly.Fireflies;
import org.tamanoir.node.identity.Peers;
import org.tamanoir.node.offload.KernelSettings;
import org.tamanoir.node.offload.Offload;
import org.tamanoir.node.routing.PoolTable;
import org.tamanoir.node.routing.Route;
import org.tamanoir.node.routing.RouteTable;
import org.tamanoir.node.service.Marks;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.service.ServiceRegistry;
import org.tamanoir.node.service.ServiceWatch;
import org.tamanoir.node.transport.DatagramChannelStub;
import org.tamanoir.node.tcpstate.TcpStateSettings;
import org.tamanoir.node.tcpstate.TcpStates;
import org.tamanoir.node.trace.FinishedSpan;
import org.tamanoir.node.trace.SpanSink;
import org.tamanoir.node.trace.TraceSettings;
import org.tamanoir.node.trace.Traces;
import org.tamanoir.node.transport.LegChannel;
import org.tamanoir.node.transport.LoopMemory;
import org.tamanoir.node.transport.Stage;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.node.transport.UdpLeg;
import org.tamanoir.node.tuning.Tuning;
import org.tamanoir.service.StreamContext;
import org.tamanoir.service.StreamHandler;
import org.tamanoir.service.Transport;

/**
 * A node without sockets: the test is its peers, its next hops, its clock and whoever has the services. One event loop for everything, as
 * far as the streams can tell. Closing it looks for what was not given back.
 */
final class StreamRig implements AutoCloseable, StreamEnvironment.Connector {
    static final int TYPE = TestService.TYPE;
    /** 198.51.100.0/24 is behind a next hop, 203.0.113.0/24 is delivered to from here. */
    static final String BEHIND = "198.51.100.7";
    static final String NEAR_BY = "203.0.113.7";
    /** Behind two next hops, of which the second is a spare. */
    static final String TWO_WAYS = "192.88.99.7";
    static final InetSocketAddress USED = new InetSocketAddress("192.0.2.1", 3322);
    static final InetSocketAddress SPARE = new InetSocketAddress("192.0.2.2", 3322);
    /** Of what stands in for a next hop that a service does not want yet. */
    static final InetSocketAddress NOWHERE = new InetSocketAddress("127.0.0.1", 9);

    final MockTicker time = Ticker.newMockTicker();
    final LoopMemory memory;
    final StreamCounters counters = new StreamCounters();
    final Offload offload = new Offload(new KernelSettings(KernelSettings.Use.OFF, null, List.of(), 100, 100));
    final ServiceWatch watch = new ServiceWatch(TestService.TIMEOUT);
    final List<LegChannel> nears = new ArrayList<>();
    /** Connections to next hops, in the order in which they were made. */
    final Deque<LegChannel> fars = new ArrayDeque<>();
    final Deque<DatagramChannelStub> sockets = new ArrayDeque<>();
    final TestService.Scripted handler = new TestService.Scripted();
    final RunningService service = TestService.middle(this::handle);
    /** Whether the service wants its next hop later. */
    boolean later;
    final Overload overload = new Overload();
    final StreamEnvironment environment;
    final IdleConnections idle;
    final StreamTable table;
    StreamLimits limits = new StreamLimits(100, 100, Duration.ofSeconds(10), Duration.ofMinutes(10), Duration.ofSeconds(30), Duration.ofSeconds(5),
            4, 64 << 20, 16);
    /** What is said when a service is asked for; its services are opened as they are asked for. */
    CompletableFuture<RunningService> answer = CompletableFuture.completedFuture(service);
    /** Nobody, until a test lists somebody. */
    final Peers peers = new Peers(List.of());
    /** Null while no stream is recorded. */
    volatile TraceSettings tracing;
    final List<FinishedSpan> spans = new CopyOnWriteArrayList<>();
    private final Traces traces = new Traces(() -> tracing, settings -> new SpanSink() {
        @Override
        public void send(List<FinishedSpan> finished) {
            spans.addAll(finished);
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    });
    /** Without rules, until a test has some; these legs have no sockets, and refuse them. */
    final Tuning tuning = new Tuning(any -> null, 1);
    boolean unreachable;
    /** Next hops that cannot be reached. */
    final Set<InetSocketAddress> dead = new HashSet<>();
    /** The next hop, and how long it was waited for, of each connection that was asked for. */
    final List<String> tried = new ArrayList<>();
    /** How many connections were asked for. */
    int connects;

    StreamRig() {
        this(64 << 20);
    }

    StreamRig(long memoryOctets) {
        this(memoryOctets, new AccessControl(null, Clock.systemUTC()));
    }

    StreamRig(AccessControl access) {
        this(64 << 20, access);
    }

    private StreamRig(long memoryOctets, AccessControl access) {
        memory = LegChannel.memory(memoryOctets);
        table = new StreamTable(() -> limits, peers);
        RouteTable routes = new RouteTable();
        routes.replace(List.of(Route.of("198.51.100.0/24", "192.0.2.1:3322"), Route.of("203.0.113.0/24", "direct"),
                Route.of("192.88.99.0/24", "192.0.2.1:3322,192.0.2.2:3322*0")));
        environment = new StreamEnvironment(null, access, StageRig.SELF, () -> limits, routes, peers, (typeId, destination, previous) -> answer, watch, loop -> memory,
                this, table, overload, counters, offload, new PoolChoice(new PoolTable(), (typeId, previous) -> null), loop -> idle(), new FlowEnd(routes, new ServiceRegistry(), () -> CompletableFuture.completedFuture(NOWHERE)), new TcpStates(() -> TcpStateSettings.OFF),
                new Fireflies(() -> null), traces, tuning);
        idle = new IdleConnections(environment);
    }

    private StreamHandler handle(StreamContext stream) {
        if (later) {
            stream.connectLater();
        }
        return handler;
    }

    private IdleConnections idle() {
        return idle;
    }

    // The next hops.

    @Override
    public TcpLeg kept(EventLoop loop, InetSocketAddress hop, boolean secure) {
        return fars.stream().map(LegChannel::keptLeg).filter(leg -> leg != null).findFirst().orElse(null);
    }

    @Override
    public CompletableFuture<Void> connect(EventLoop loop, InetSocketAddress hop, boolean secure, int timeoutMillis, boolean offers, Consumer<TcpLeg> made) {
        connects++;
        tried.add(hop.getAddress().getHostAddress() + " " + timeoutMillis);
        if (unreachable || dead.contains(hop)) {
            return CompletableFuture.failedFuture(new AnepException(ErrorCode.UNREACHABLE, "test", new ConnectException("finishConnect(..) failed with error(-111): Connection refused")));
        }
        LegChannel far = new LegChannel(memory, time);
        far.config().setAutoRead(false);
        fars.add(far);
        TcpLeg leg = offers ? far.offeredLeg(null, null) : far.leg(null, null);
        return CompletableFuture.runAsync(() -> made.accept(leg), loop);
    }

    @Override
    public CompletableFuture<UdpLeg> connect(EventLoop loop, InetSocketAddress hop, UdpLeg.Receiver receiver) {
        if (unreachable) {
            return CompletableFuture.failedFuture(new AnepException(ErrorCode.UNREACHABLE, "test"));
        }
        DatagramChannelStub socket = new DatagramChannelStub(memory);
        socket.leg().receiver(receiver);
        sockets.add(socket);
        return CompletableFuture.completedFuture(socket.leg());
    }

    /** The connection to the next hop that was made last. */
    LegChannel far() {
        return fars.getLast();
    }

    // The peers.

    /** A connection comes in. */
    LegChannel accept() {
        return accept(new LegChannel(memory, time));
    }

    LegChannel accept(LegChannel near) {
        nears.add(near);
        TcpStream[] stream = new TcpStream[1];
        Stage first = new Stage(null) {
            @Override
            public void packet(Packet packet) {
                stream[0].open(packet);
            }

            @Override
            public void flush() {
                // Nothing is gathered.
            }
        };
        TcpLeg leg = near.leg(first, null);
        stream[0] = new TcpStream(environment, table.admit(leg.peer().getAddress(), Transport.TCP), leg, null);
        return near;
    }

    static PacketOptions to(String destination) {
        return new PacketOptions().destination(Identifier.of(StageRig.ip(destination))).delivery(7000, Delivery.ANEP).stream(42, 0);
    }

    static ByteBuf packet(PacketOptions options, String payload) {
        return new PacketBuilder(TYPE).flags(Anep.FLAG_DISCARD_UNKNOWN).options(options).payload(Unpooled.copiedBuffer(payload, StandardCharsets.UTF_8))
                .build(UnpooledByteBufAllocator.DEFAULT);
    }

    static ByteBuf control(ConnectionUse use) {
        return PacketBuilder.control(UnpooledByteBufAllocator.DEFAULT, use);
    }

    /** A peer sends packets, all in one go. */
    void send(LegChannel from, ByteBuf... packets) {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf packet : packets) {
            all.writeBytes(packet);
            packet.release();
        }
        from.peerSends(all);
        settle();
    }

    void send(LegChannel from, String... payloads) {
        send(from, Arrays.stream(payloads).map(payload -> packet(null, payload)).toArray(ByteBuf[]::new));
    }

    void ends(LegChannel from) {
        from.peerEnds();
        settle();
    }

    /** A stream that flows through the service to a next hop, which has seen its first packet. */
    LegChannel opened() {
        LegChannel near = accept();
        send(near, packet(to(BEHIND), "first"));
        assertThat(texts(far())).containsExactly("first");
        return near;
    }

    /** What a peer has got: a packet is its payload, an error its code, a control packet its word. */
    static List<String> texts(LegChannel peer) {
        List<String> texts = new ArrayList<>();
        packets(peer.got()).forEach(packet -> {
            packet.checkOptions();
            texts.add(packet.isControl() ? packet.connectionUse().name() : packet.options().error() != null
                    ? packet.options().error().code().toString() : Recorder.text(packet));
        });
        return texts;
    }

    /** Whole packets, and nothing behind them. */
    static List<Packet> packets(ByteBuf octets) {
        List<Packet> packets = new ArrayList<>();
        int end = Framing.each(octets, 0, octets.writerIndex(), new Packet(), packet -> packets.add(packet.retain()));
        assertThat(end).as("octets that are packets").isEqualTo(octets.writerIndex());
        return packets;
    }

    // The loop and its clock.

    /** The loop does what there is to do. */
    void settle() {
        for (int i = 0; i < 4; i++) {
            nears.forEach(LegChannel::settle);
            List.copyOf(fars).forEach(LegChannel::settle);
        }
    }

    /** Time passes for the streams, a quarter of a second at a time. */
    void tick(Duration time) {
        for (long left = time.toNanos(); left > 0; left -= StreamClock.TICK_NANOS) {
            List.copyOf(table.all()).forEach(stream -> stream.tick(StreamClock.TICK_NANOS));
            idle.tick(StreamClock.TICK_NANOS);
        }
        settle();
    }

    TcpStream only() {
        assertThat(table.all()).hasSize(1);
        return (TcpStream) table.all().iterator().next();
    }

    /** The stream that ended last is over with that error, and the node has nothing left of it. */
    void assertOver(ErrorCode code) {
        assertThat(table.all()).isEmpty();
        String why = table.ended().get(0).reason();
        if (code == null) {
            assertThat(why).isNull();
        } else {
            assertThat(why).startsWith(code.toString());
            assertThat(counters.errors().get(code).sum()).isEqualTo(1);
        }
        assertThat(service.streams()).as("streams of the service").isZero();
    }

    @Override
    public void close() {
        idle.stop();
        traces.close();
        List.copyOf(table.all()).forEach(stream -> stream.fail(new AnepException(ErrorCode.STOPPING, "test")));
        settle();
        nears.forEach(near -> near.passes(3000));
        List.copyOf(fars).forEach(far -> far.passes(100_000));
        settle();
        sockets.forEach(DatagramChannelStub::close);
        fars.forEach(far -> far.close());
        nears.forEach(near -> near.close());
        settle();
        memory.tidy();
        try {
            Marks.assertBalanced(watch);
            assertThat(service.streams()).isZero();
            assertThat(service.heldBytes()).isZero();
            assertThat(memory.retained()).as("octets retained").isZero();
        } finally {
            watch.close();
            offload.close();
        }
    }
}
