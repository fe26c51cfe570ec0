package org.tamanoir.node.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tamanoir.anep.AnepException;
import org.tamanoir.anep.Delivery;
import org.tamanoir.anep.ErrorCode;
import org.tamanoir.anep.Packet;
import org.tamanoir.anep.PacketBuilder;
import org.tamanoir.anep.PacketOptions.PreviousNode;
import org.tamanoir.node.offload.Explainer;
import org.tamanoir.node.offload.LightTarget;
import org.tamanoir.node.offload.LiveRule;
import org.tamanoir.node.offload.PacketFacts;
import org.tamanoir.node.offload.Placement;
import org.tamanoir.node.service.RunningService;
import org.tamanoir.node.transport.AnepWriter;
import org.tamanoir.node.transport.PacketSink;
import org.tamanoir.node.transport.RawWriter;
import org.tamanoir.node.transport.TcpLeg;
import org.tamanoir.node.transport.TcpSockets;
import org.tamanoir.node.transport.TcpSockets.NewLeg;
import org.tamanoir.service.Transport;

/**
 * A TCP stream: the connection that came in (near), the one to the next hop (far), and the services between them. All of it runs on one
 * event loop.
 */
final class TcpStream implements Stream {
    private enum State { OPENING, WAITING, CONNECTING, FLOWING, ENDED }

    private static final Logger LOG = LoggerFactory.getLogger(TcpStream.class);

    private final StreamRoom room;
    private final long number;
    private final InetAddress charged;
    private final TcpLeg near;
    private final long startNanos = System.nanoTime();
    private final TcpWay forward = new TcpWay(this);
    private final TcpWay back = new TcpWay(this);
    private State state = State.OPENING;
    private final LightTarget light;
    private StreamInfo info;
    private PacketFacts facts;
    private RuleStage rules;
    private long lightIn;
    private long lightBack;
    private PreviousNode previous;
    /** Whether a rule says where it goes. */
    private boolean fixed;
    private ByteBuf first;
    private long parked;
    private long waitNanos;
    private ServiceChain chain;
    private TcpLeg far;
    private PacketSink forwardSink;
    private final Marking forwardMarks = new Marking(true);
    private final Marking backMarks = new Marking(true);
    private PacketSink backSink;
    private int finished;
    private AnepException reason;
    private final LegMeter nearMeter = new LegMeter();
    private final LegMeter farMeter = new LegMeter();
    private final PacketClock nearClock = new PacketClock();
    private final PacketClock farClock = new PacketClock();

    /** @param light where its packets go whatever they say, for a connection to the port of light streams; null for any other */
    TcpStream(StreamRoom room, long number, NewLeg connection, LightTarget light) {
        this.room = room;
        this.light = light;
        this.number = number;
        this.charged = connection.peer().getAddress();
        this.near = connection.leg(new FirstPacket(), room.limits().get().pending(room.table().count()));
        near.events(new NearEvents());
        room.table().add(this);
        room.counters().opened().increment();
    }

    // Opening: first packet, services, next hop.

    private void open(ByteBuf buffer, int offset, int length) {
        near.stop();
        try {
            Packet packet = new Packet().wrap(buffer, offset, length);
            packet.checkOptions();
            previous = packet.options().previousNode();
            facts = new PacketFacts().read(packet, charged);
            info = StreamInfo.open(packet, Transport.TCP, near.peer(), room.routes(), room.self(), room.limits().get().hops(), number,
                    light == null ? null : light.to());
            LiveRule rule = light == null ? room.offload().rules().find(facts) : null;
            fixed = rule != null && rule.target() != null;
            info = light == null ? info.under(rule) : info.withoutServices();
            first = new PacketBuilder(packet.typeId()).flags(packet.flags()).options(info.options()).payload(packet.payload())
                    .build(PooledByteBufAllocator.DEFAULT);
            parked = first.capacity() + (long) near.unparsed();
            room.table().park(parked);
        } catch (AnepException e) {
            parked = 0;
            fail(e);
            return;
        } catch (IllegalArgumentException e) {
            fail(new AnepException(ErrorCode.TRUNCATED, "the first packet has no room for what a node adds: " + e.getMessage()));
            return;
        }
        state = State.WAITING;
        long asked = System.nanoTime();
        room.serving(info, previousNode(), fixed).whenComplete((serving, failure) -> onLoop(() -> {
            waitNanos = System.nanoTime() - asked;
            if (failure != null) {
                fail(StreamRoom.reason(failure));
            } else if (state != State.WAITING) {
                serving.unused();
            } else {
                if (serving.handed() != null) {
                    handTo(serving.handed());
                }
                connect(serving.services());
            }
        }));
    }

    /** Others serve it: the first packet goes to them as it came. */
    private void handTo(Handed handed) {
        info = info.handedTo(handed);
        room.pools().pools().count(handed.pool());
        Packet packet = new Packet().wrap(first, first.readerIndex(), first.readableBytes());
        ByteBuf asItCame = new PacketBuilder(packet.typeId()).flags(packet.flags()).options(info.options()).payload(packet.payload())
                .build(PooledByteBufAllocator.DEFAULT);
        first.release();
        first = asItCame;
    }

    /** The peer, with the port of its code server or 0: at the address of the connection, whatever its packets name. */
    private InetSocketAddress previousNode() {
        return new InetSocketAddress(charged, previous == null ? 0 : previous.codePort());
    }

    private void connect(List<RunningService> services) {
        try {
            chain = new ServiceChain(info, services, near.loop(), room.watch());
        } catch (AnepException e) {
            fail(e);
            return;
        }
        state = State.CONNECTING;
        int timeout = (int) room.limits().get().connectTimeout().toMillis();
        room.tcp().connect(near.loop(), info.next(), timeout, this::connected).exceptionally(why -> {
            onLoop(() -> fail(StreamRoom.reason(why)));
            return null;
        });
    }

    private void connected(NewLeg connection) {
        boolean raw = info.delivery() == Delivery.RAW;
        backSink = chain.back(new MarkStage(backMarks, near::mark, new AnepWriter(near)), back, backMarks);
        far = connection.leg(backSink, room.limits().get().pending(room.table().count()));
        far.events(new FarEvents());
        if (state != State.CONNECTING) {
            far.abort();
            return;
        }
        state = State.FLOWING;
        forward.between(near, far);
        back.between(far, near);
        if (raw) {
            far.wrapRaw(0, info.typeId());
        }
        forwardSink = forwardSink(raw ? new RawWriter(far) : new AnepWriter(far));
        far.flowTo(backSink);
        near.flowTo(forwardSink);
        ByteBuf opening = first;
        first = null;
        unpark();
        forwardSink.packet(opening, opening.readerIndex(), opening.readableBytes(), System.nanoTime());
        forwardSink.settle();
        opening.release();
        if (state == State.FLOWING) {
            far.pauseReading(false);
            near.proceed();
        }
        if (state == State.FLOWING) {
            // A service may have paused it with the first packets, or before.
            forward.update();
        }
    }

    private PacketSink forwardSink(PacketSink last) {
        PacketSink services = chain.forward(new MarkStage(forwardMarks, far::mark, last), forward, forwardMarks);
        if (light != null) {
            room.offload().kernel().light().inNode(light.name()).opened();
            forwardMarks.enter(light.dscp() == null ? 0 : light.dscp());
            return services;
        }
        rules = new RuleStage(room.offload().rules(), facts, services, chain.past(), forwardMarks, forward);
        return rules;
    }

    private void unpark() {
        room.table().unpark(parked);
        parked = 0;
    }

    // The end.

    @Override
    public void fail(AnepException why) {
        if (state == State.ENDED) {
            return;
        }
        room.counters().error(why.code());
        LOG.debug("stream {} from {} ends: {}", number, near.peer(), why.getMessage());
        near.refuse(PacketBuilder.error(PooledByteBufAllocator.DEFAULT, why.code(), why.text(), info == null ? 0 : info.id()));
        if (far != null) {
            far.abort();
        }
        over(why);
    }

    private void over(AnepException why) {
        reason = why;
        state = State.ENDED;
        if (first != null) {
            first.release();
            first = null;
        }
        unpark();
        if (chain != null) {
            chain.close();
        }
        account();
        room.table().remove(this, status());
    }

    /** Adds what has passed since the last time to the counters of the node. */
    private void account() {
        StreamCounters counters = room.counters();
        nearMeter.read(near, counters.packetsIn(), counters.bytesIn(), counters.bytesReturned());
        if (light != null) {
            room.offload().kernel().light().inNode(light.name()).carried(near.received() - lightIn, near.sent() - lightBack);
            lightIn = near.received();
            lightBack = near.sent();
        }
        if (far != null) {
            farMeter.read(far, counters.packetsBack(), counters.bytesBack(), counters.bytesOut());
        }
    }

    /** One direction is over; with the second the stream is. */
    private void finished() {
        if (++finished == 2 && state == State.FLOWING) {
            near.close();
            far.close();
            room.counters().completed().increment();
            over(null);
        }
    }

    @Override
    public void tick(long now) {
        StreamLimits limits = room.limits().get();
        long packetNanos = limits.packetTimeout().toNanos();
        if (state == State.OPENING && now - startNanos > packetNanos) {
            fail(new AnepException(ErrorCode.HEADER_TIMEOUT, "no whole packet came within " + limits.packetTimeout().toMillis() + " ms"));
        } else if (state == State.FLOWING) {
            account();
            near.shrink();
            far.shrink();
            if (nearClock.isLate(near, now, packetNanos) || farClock.isLate(far, now, packetNanos)) {
                fail(new AnepException(ErrorCode.HEADER_TIMEOUT, "a packet did not arrive whole within "
                        + limits.packetTimeout().toMillis() + " ms"));
            } else if (now - Math.max(near.lastMoved(), far.lastMoved()) > limits.idleTimeout().toNanos()) {
                fail(new AnepException(ErrorCode.IDLE_TIMEOUT, "nothing has passed for " + limits.idleTimeout().toSeconds() + " s"));
            }
        }
    }

    @Override
    public void finishUp() {
        // It ends when its peers end it, or when the time to drain is over.
    }

    // What others ask.

    @Override
    public long number() {
        return number;
    }

    @Override
    public EventLoop loop() {
        return near.loop();
    }

    @Override
    public InetAddress charged() {
        return charged;
    }

    @Override
    public CompletableFuture<Map<String, Map<String, Object>>> report() {
        return chain == null ? CompletableFuture.completedFuture(Map.of()) : chain.report();
    }

    @Override
    public long waiting() {
        TcpLeg receiver = far;
        return near.pending() + (receiver == null ? 0 : receiver.pending());
    }

    @Override
    public StreamStatus status() {
        boolean connected = far != null;
        List<String> services = chain != null && info.handed() == null ? chain.names() : info == null ? List.of() : StreamRoom.names(info.chain());
        return new StreamStatus(number, info == null ? null : String.format("%016x", info.id()), "tcp",
                state.name().toLowerCase(Locale.ROOT), info == null ? null : info.position().name().toLowerCase(Locale.ROOT),
                TcpSockets.text(near.peer()), info == null ? null : TcpSockets.text(info.destination()),
                info == null ? null : TcpSockets.text(info.next()), services, (System.nanoTime() - startNanos) / 1_000_000,
                waitNanos / 1_000_000, near.packets(), near.received(), connected ? far.sent() : 0, connected ? far.packets() : 0,
                connected ? far.received() : 0, near.sent(), state == State.FLOWING && (near.isPaused() || far.isPaused()),
                reason == null ? null : reason.getMessage(), versions(), info == null ? null : info.pool(), Map.of());
    }

    private List<String> versions() {
        return chain == null ? List.of() : chain.services().stream().map(RunningService::version).toList();
    }

    @Override
    public Placement placement() {
        if (info != null && info.handed() != null) {
            return info.placement();
        }
        String because = light != null ? "light connection " + light.name() + ", which the kernel has not taken"
                : "a TCP stream: its packets run on the event loop of its connection";
        return chain != null && chain.isHeavy() ? Placement.onOwnThreads("a service of it is heavy", Explainer.NOT_TCP)
                : Placement.onEventLoop(because, light != null ? room.offload().lightWhyNot() : Explainer.NOT_TCP);
    }

    @Override
    public boolean uses(RunningService service) {
        return chain != null && chain.services().contains(service);
    }

    private void onLoop(Runnable task) {
        if (near.loop().inEventLoop()) {
            task.run();
        } else {
            near.loop().execute(task);
        }
    }

    /** A service has failed, on whatever thread. */
    void failedAnywhere(AnepException why) {
        // Never at once: the caller is in the middle of handing packets over.
        near.loop().execute(() -> fail(why));
    }

    private final class FirstPacket implements PacketSink {
        @Override
        public void packet(ByteBuf buffer, int offset, int length, long nanos) {
            open(buffer, offset, length);
        }

        @Override
        public void settle() {
            // The first packet has been rewritten into a buffer of its own.
        }

        @Override
        public void flush() {
            // Nothing is gathered.
        }

        @Override
        public void end() {
            throw new IllegalStateException("ended() says what happens");
        }
    }

    /** What both legs have in common. */
    private abstract class LegEvents implements TcpLeg.Events {
        @Override
        public final void finished() {
            TcpStream.this.finished();
        }

        @Override
        public final void broken(AnepException cause) {
            fail(cause);
        }
    }

    private final class NearEvents extends LegEvents {
        @Override
        public void ended(boolean clean) {
            if (!clean) {
                fail(new AnepException(ErrorCode.TRUNCATED, "the source ended inside a packet"));
            } else if (state == State.OPENING) {
                fail(new AnepException(ErrorCode.CONNECTION_LOST, "the source ended before its first packet"));
            } else {
                forwardSink.end();
            }
        }

        @Override
        public void writable(boolean writable) {
            back.update();
        }
    }

    private final class FarEvents extends LegEvents {
        @Override
        public void ended(boolean clean) {
            if (clean) {
                backSink.end();
            } else {
                fail(new AnepException(ErrorCode.TRUNCATED, "the next hop ended inside a packet"));
            }
        }

        @Override
        public void writable(boolean writable) {
            forward.update();
        }
    }
}
